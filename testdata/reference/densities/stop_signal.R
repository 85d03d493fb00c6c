# Rscript stop_signal.R: writes stop_signal_reference.csv, the log density of the stop-signal race and its gradient at 72 random points. Finishing times
# are ex-Gaussian, given that they are positive. Integrals are by R's integrate, derivatives by central differences of two steps.
set.seed(20)

exg_log <- function(x, mu, s, tau) -log(tau) + s^2/(2*tau^2) - (x - mu)/tau + pnorm((x - mu)/s - s/tau, log.p = TRUE)
exg_above <- function(x, mu, s, tau) pnorm((mu - x)/s) + exp(s^2/(2*tau^2) - (x - mu)/tau + pnorm((x - mu)/s - s/tau, log.p = TRUE))
density <- function(x, p) exp(exg_log(x, p[1], p[2], p[3]))/exg_above(0, p[1], p[2], p[3])
above <- function(x, p) ifelse(x <= 0, 1, exg_above(pmax(x, 0), p[1], p[2], p[3])/exg_above(0, p[1], p[2], p[3]))

stopped <- function(ssd, go, stop) {
  middle <- stop[1]
  ends <- sort(unique(pmax(0, c(0, middle + stop[2]*(-8:8), middle + 8*stop[2] + stop[3]*seq(0.5, 40, 0.5)))))
  f <- function(u) density(u, stop)*above(u + ssd, go)
  sum(sapply(2:length(ends), function(k) integrate(f, ends[k - 1], ends[k], rel.tol = 1e-12, abs.tol = 0, stop.on.error = FALSE)$value))
}

logp <- function(rt, ssd, choice, theta) {
  go <- theta[1:3]; stop <- theta[4:6]; tf <- theta[7]; gf <- theta[8]
  if (choice == 0) return(log(gf + (1 - gf)*(1 - tf)*stopped(ssd, go, stop)))
  log((1 - gf)*density(rt, go)*(tf + (1 - tf)*above(rt - ssd, stop)))
}

low  <- c(mu_go = 0.2, sigma_go = 0.03, tau_go = 0.02, mu_stop = 0.05, sigma_stop = 0.02, tau_stop = 0.01, tf = 0, gf = 0)
high <- c(1.5, 0.3, 1, 0.8, 0.2, 0.3, 0.5, 0.3)

rows <- list()
for (i in 1:72) {
  choice <- as.integer(i %% 3 == 0)
  theta <- signif(low + (high - low)*(0.02 + 0.96*runif(8)), 6)
  ssd <- signif(if (i %% 12 == 3) 1000 else runif(1, 0.05, 0.8), 6)
  rt <- if (choice == 1) signif(max(0.05, rnorm(1, theta[1], theta[2]) + rexp(1, 1/theta[3])), 6) else 1
  at <- function(j, h) { x <- theta; x[j] <- x[j] + h; logp(rt, ssd, choice, x) }
  slope <- sapply(1:8, function(j) {
    d <- function(h) (at(j, h) - at(j, -h))/(2*h)
    (4*d(5e-4*theta[j]) - d(1e-3*theta[j]))/3
  })
  rows[[i]] <- c(theta, ssd, rt, choice, logp(rt, ssd, choice, theta), slope)
}
d <- do.call(rbind, rows)
colnames(d) <- c(names(low), "ssd", "rt", "choice", "logp", paste0("dlogp_d", names(low)))
write.csv(format(as.data.frame(d), digits = 15, trim = TRUE, scientific = NA), "stop_signal_reference.csv", row.names = FALSE, quote = FALSE)
