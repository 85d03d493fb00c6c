# Rscript run.R trials.csv posteriors.csv
# Fits every participant by itself with rstan, and writes mean, sd and their Monte Carlo errors.
library(rstan)
args <- commandArgs(trailingOnly = TRUE)
trials <- read.csv(args[1])
rstan_options(boost_lib = "/usr/include") # where the system has Boost; R's package BH need not hold it
model <- stan_model("wiener.stan")
out <- NULL
for (id in sort(unique(trials$subj_idx))) {
  d <- trials[trials$subj_idx == id, ]
  upper <- d$rt[d$response == 1]
  lower <- d$rt[d$response == 0]
  data <- list(n_upper = length(upper), n_lower = length(lower), rt_upper = as.array(upper), rt_lower = as.array(lower), fastest = min(d$rt))
  start <- function() list(v = runif(1, -1, 1), a = runif(1, 0.8, 1.2), z = runif(1, 0.4, 0.6), t = runif(1, 0.3, 0.7) * min(d$rt))
  fit <- sampling(model, data = data, chains = 4, iter = 2000, warmup = 1000, seed = 1000 + id, init = start,
                  control = list(adapt_delta = 0.9), cores = 1, refresh = 0)
  draws <- as.array(fit, pars = c("v", "a", "z", "t"))
  divergent <- sum(sapply(get_sampler_params(fit, inc_warmup = FALSE), function(x) sum(x[, "divergent__"])))
  for (p in c("v", "a", "z", "t")) {
    x <- draws[, , p]
    mean <- mean(x)
    sd <- sd(as.vector(x))
    # The MCSE of an sd from the effective size of squared deviations (Kenney and Keeping): sd(x^2) / sqrt(ess) / (2 sd).
    squares <- (x - mean)^2
    out <- rbind(out, data.frame(subject = id, parameter = p, mean = mean, sd = sd,
      mcse_mean = sd / sqrt(ess_bulk(x)), mcse_sd = sd(as.vector(squares)) / sqrt(ess_bulk(squares)) / (2 * sd),
      rhat = Rhat(x), ess_bulk = ess_bulk(x), divergences = divergent, trials = nrow(d)))
  }
  write.csv(out, args[2], row.names = FALSE)
  cat("participant", id, "done\n")
}
