# Draws from three posteriors of posteriordb by random-walk Metropolis, and computes with R's package loo what loo_test.go
# compares. Trials and draws of the drift-diffusion model come from draws.go.
#
# Run it in this folder: Rscript reference.R
# It reads eight_schools.csv, garch11.csv, kidscore.csv, ddm.csv and ddm_draws.csv. It writes *_draws.csv of the first three,
# *_loo.csv (one row a trial), tails.csv (trials made of formulas, with few draws and heavy tails), totals.csv, stacking.csv
# (one column a model, one row a trial) and compare.csv.
suppressMessages(library(loo))
options(digits = 17, mc.cores = 1)

# Draws of logp from four chains, with the parameters and their names from show; one draw in `thin` is kept. A first run
# learns the covariance of the steps. `means` are the reference means of posteriordb.
metropolis <- function(logp, start, scale, show, means, kept = 250, thin = 60) {
  d <- length(start)
  walk <- function(q, root, n, keep) {
    lp <- logp(q); out <- matrix(NA, n %/% keep, d)
    for (i in seq_len(n)) {
      to <- q + drop(rnorm(d) %*% root); lt <- logp(to)
      if (log(runif(1)) < lt - lp) { q <- to; lp <- lt }
      if (i %% keep == 0) out[i %/% keep, ] <- q
    }
    out
  }
  pilot <- walk(start, diag(scale, d), 20000, 4)
  for (round in 1:3) {
    pilot <- pilot[-seq_len(nrow(pilot) %/% 2), ]
    root <- chol(cov(pilot)) * 2.38 / sqrt(d)
    pilot <- walk(pilot[nrow(pilot), ], root, 20000, 4)
  }
  draws <- NULL
  for (chain in 1:4) {
    begin <- pilot[sample(nrow(pilot), 1), ]
    q <- walk(begin, root, kept * thin, thin)
    draws <- rbind(draws, data.frame(chain = chain, t(apply(q, 1, show))))
  }
  draws[-1] <- signif(draws[-1], 8)
  for (name in names(means)) {
    x <- draws[[name]]; size <- 1000 * relative_eff(x - min(x) + 1, draws$chain)
    z <- (mean(x) - means[[name]]) / (sd(x) / sqrt(size))
    cat(sprintf("%s: mean %.4g, reference %.4g, %.1f standard errors\n", name, mean(x), means[[name]], z))
    stopifnot(abs(z) < 4)
  }
  draws
}

eight <- read.csv("eight_schools.csv")
eight_logp <- function(q) {
  tau <- exp(q[10]); theta <- q[9] + tau * q[1:8]
  sum(dnorm(q[1:8], 0, 1, TRUE)) + sum(dnorm(eight$y, theta, eight$sigma, TRUE)) + dnorm(q[9], 0, 5, TRUE) +
    dcauchy(tau, 0, 5, TRUE) + q[10]
}
eight_show <- function(q) setNames(q[9] + exp(q[10]) * q[1:8], paste0("theta", 1:8))

garch <- read.csv("garch11.csv")$y
garch_sd <- function(p) {
  s <- numeric(length(garch)); s[1] <- 0.5
  for (t in 2:length(s)) s[t] <- sqrt(p[2] + p[3] * (garch[t - 1] - p[1])^2 + p[4] * s[t - 1]^2)
  s
}
garch_show <- function(q) c(mu = q[1], alpha0 = exp(q[2]), alpha1 = plogis(q[3]), beta1 = (1 - plogis(q[3])) * plogis(q[4]))
garch_logp <- function(q) {
  p <- garch_show(q)
  sum(dnorm(garch, p[1], garch_sd(p), TRUE)) + q[2] + plogis(q[3], log.p = TRUE) + 2 * plogis(-q[3], log.p = TRUE) +
    plogis(q[4], log.p = TRUE) + plogis(-q[4], log.p = TRUE)
}

kid <- read.csv("kidscore.csv")
designs <- list(interaction = with(kid, cbind(1, mom_hs, mom_iq, mom_hs * mom_iq)), both = with(kid, cbind(1, mom_hs, mom_iq)),
  school = with(kid, cbind(1, mom_hs)), iq = with(kid, cbind(1, mom_iq)))
kid_logp <- function(x) function(q) {
  k <- ncol(x)
  sum(dnorm(kid$kid_score, x %*% q[1:k], exp(q[k + 1]), TRUE)) + dcauchy(exp(q[k + 1]), 0, 2.5, TRUE) + q[k + 1]
}
kid_show <- function(q) setNames(c(q[-length(q)], exp(q[length(q)])), c(paste0("beta", seq_len(length(q) - 1)), "sigma"))
kid_draws <- function(x, means) {
  fit <- lm(kid_score ~ x - 1, kid)
  metropolis(kid_logp(x), c(coef(fit), log(sigma(fit))), c(sqrt(diag(vcov(fit))), 0.03) / 2, kid_show, means)
}
kid_loglik <- function(x, draws) t(apply(draws[-1], 1, function(p)
  dnorm(kid$kid_score, x %*% p[-length(p)], p[length(p)], TRUE)))

# Log density of the drift-diffusion model with boundaries at -a and a: Navarro and Fuss (2009), all terms that count.
ddm_log <- function(rt, choice, v, a, z, t) {
  if (choice > 0) { v <- -v; z <- 1 - z }
  tau <- rt - t; u <- tau / (2 * a)^2
  small <- 0; for (k in -12:12) small <- small + (z + 2 * k) * exp(-(z + 2 * k)^2 / (2 * u))
  large <- 0; for (k in 1:40) large <- large + k * exp(-k^2 * pi^2 * u / 2) * sin(k * pi * z)
  standard <- ifelse(u < 0.4, log(pmax(small, 0)) - 0.5 * log(2 * pi * u^3), log(pmax(large, 0) * pi))
  standard - v * 2 * a * z - v^2 * tau / 2 - 2 * log(2 * a)
}

totals <- NULL
reference <- function(name, loglik, draws, write = TRUE) {
  chain <- draws$chain
  r_eff <- relative_eff(exp(loglik), chain_id = chain)
  l <- loo(loglik, r_eff = r_eff); w <- waic(loglik)
  trials <- data.frame(elpd = l$pointwise[, "elpd_loo"], p = l$pointwise[, "p_loo"], k = l$diagnostics$pareto_k,
    ess = l$diagnostics$n_eff, reff = r_eff, mcse = l$pointwise[, "mcse_elpd_loo"],
    waic = w$pointwise[, "elpd_waic"], pwaic = w$pointwise[, "p_waic"])
  if (write) {
    e <- l$estimates; f <- w$estimates
    write.csv(trials, paste0(name, "_loo.csv"), row.names = FALSE)
    totals <<- rbind(totals, data.frame(name, elpd = e["elpd_loo", 1], elpd_se = e["elpd_loo", 2], p = e["p_loo", 1],
      p_se = e["p_loo", 2], waic = f["elpd_waic", 1], waic_se = f["elpd_waic", 2], pwaic = f["p_waic", 1],
      pwaic_se = f["p_waic", 2], mcse = if (any(l$diagnostics$pareto_k > 0.7)) NA else mcse_loo(l)))
    cat(name, "largest k", max(l$diagnostics$pareto_k), "smallest r_eff", min(r_eff), "\n")
  }
  l
}

set.seed(16)
draws <- metropolis(eight_logp, c(rep(0, 8), 4, 1), 0.3, function(q) c(eight_show(q), mu = q[9], tau = exp(q[10])),
  c(mu = 4.410518337, tau = 3.602059524, theta1 = 6.150502293, theta8 = 4.883996944), thin = 200)
draws <- draws[1:9]
write.csv(draws, "eight_schools_draws.csv", row.names = FALSE, quote = FALSE)
reference("eight_schools", t(apply(draws[-1], 1, function(p) dnorm(eight$y, p, eight$sigma, TRUE))), draws)

draws <- metropolis(garch_logp, c(5, 0, 0, 0), 0.2, garch_show,
  c(mu = 5.050017947, alpha0 = 1.470759738, alpha1 = 0.567284283, beta1 = 0.293024546), thin = 20)
write.csv(draws, "garch11_draws.csv", row.names = FALSE, quote = FALSE)
reference("garch11", t(apply(draws[-1], 1, function(p) dnorm(garch, p[1], garch_sd(p), TRUE))), draws)

loos <- list()
for (model in names(designs)) {
  x <- designs[[model]]
  means <- if (model == "interaction") c(beta1 = -11.358649626, beta2 = 51.0327638, beta3 = 0.967412588,
    beta4 = -0.481586249, sigma = 17.98108893)
  draws <- kid_draws(x, means)
  if (model == "interaction") write.csv(draws, "kidscore_draws.csv", row.names = FALSE, quote = FALSE)
  loos[[model]] <- reference("kidscore", kid_loglik(x, draws), draws, model == "interaction")
}
point <- sapply(loos, function(l) l$pointwise[, "elpd_loo"])
write.csv(point, "stacking.csv", row.names = FALSE)
weights <- loo_model_weights(loos, optim_control = list(reltol = 1e-14))
table <- loo_compare(loos)
write.csv(data.frame(name = rownames(table), diff = -table[, "elpd_diff"], diff_se = table[, "se_diff"],
  elpd = table[, "elpd_loo"], se = table[, "se_elpd_loo"], p = table[, "p_loo"],
  weight = as.numeric(weights[rownames(table)])), "compare.csv", row.names = FALSE)
print(table); print(weights)

trials <- read.csv("ddm.csv"); draws <- read.csv("ddm_draws.csv")
loglik <- mapply(function(rt, choice) ddm_log(rt, choice, draws$v, draws$a, draws$z, draws$t), trials$rt, trials$choice)
reference("ddm", loglik, draws)

# Log densities shape * log(u), u being a permutation of (1:draws - 0.5) / draws.
tails <- NULL
for (draws in c(22, 60, 400)) for (shape in c(0.1, 0.5, 0.8, 1.5, 4)) {
  loglik <- matrix(shape * log(((7 * seq_len(draws)) %% (draws + 1) - 0.5) / draws))
  r_eff <- relative_eff(exp(loglik), chain_id = rep(1:2, each = draws / 2))
  l <- suppressWarnings(loo(loglik, r_eff = r_eff))
  tails <- rbind(tails, data.frame(draws, shape, elpd = l$pointwise[, "elpd_loo"], p = l$pointwise[, "p_loo"],
    k = l$diagnostics$pareto_k, ess = l$diagnostics$n_eff, reff = r_eff, mcse = l$pointwise[, "mcse_elpd_loo"]))
}
write.csv(tails, "tails.csv", row.names = FALSE)
write.csv(totals, "totals.csv", row.names = FALSE)
cat("loo", as.character(packageVersion("loo")), R.version.string, "\n")
