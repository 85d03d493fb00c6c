# The exact density of ddm in C, called from R, beside RWiener and rtdists: differences in 20,000 trials at 20 parameter vectors, and the
# milliseconds of the fastest of many calls for 1,000 trials. Run it in a folder that `likc compile ddm --target c` wrote, after `make`.

library(rtdists)
library(RWiener)
dyn.load("libddmlik.so")

bind <- function(rt, choice) {
  .C("ddmlik_flat_new", data = raw(.Machine$sizeof.pointer), n = length(rt), rt = rt, choice = choice, error = "")$data
}
densities <- function(data, theta, n) .C("ddmlik_flat_log_densities", data, theta = theta, value = 0, each = double(n))$each
fastest <- function(f) {
  1e3 * min(replicate(200, {
    start <- Sys.time()
    f()
    as.numeric(Sys.time() - start, units = "secs")
  }))
}

set.seed(1)
worst <- c(RWiener = 0, rtdists = 0)
for (k in 1:20) {
  v <- runif(1, -3, 3)
  a <- runif(1, 0.5, 2) # half the separation
  z <- runif(1, 0.3, 0.7)
  t <- runif(1, 0.1, 0.5)
  trials <- rwiener(1000, 2 * a, t, z, v)
  response <- as.character(trials$resp)
  data <- bind(trials$q, ifelse(response == "upper", 1, -1))
  ours <- densities(data, c(v, a, z, t), 1000)
  wiener <- mapply(function(rt, at) dwiener(rt, 2 * a, t, z, v, resp = at, give_log = TRUE), trials$q, response)
  diffusion <- log(ddiffusion(trials$q, response, a = 2 * a, v = v, t0 = t, z = z * 2 * a))
  worst <- pmax(worst, c(max(abs(wiener - ours) / (1 + abs(ours))), max(abs(diffusion - ours) / (1 + abs(ours)))))
}
print(worst)
cat("likc   ", fastest(function() densities(data, c(v, a, z, t), 1000)), "\n")
cat("RWiener", fastest(function() dwiener(trials$q, 2 * a, t, z, v, resp = trials$resp, give_log = TRUE)), "\n")
cat("rtdists", fastest(function() ddiffusion(trials$q, response, a = 2 * a, v = v, t0 = t, z = z * 2 * a)), "\n")
