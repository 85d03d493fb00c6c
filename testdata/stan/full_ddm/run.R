# Rscript run.R trials.csv posterior.csv
# The posterior of the full drift-diffusion model for one participant, by importance sampling: a multivariate t, which the draws so
# far adapt, proposes places in the ranges on the logit scale.
args <- commandArgs(trailingOnly = TRUE)
Rcpp::sourceCpp("full.cpp")
participant <- 1
trials <- read.csv(args[1])
trials <- trials[trials$subj_idx == participant, ]
lower <- c(v = -3, a = 0.3, z = 0.3, t = 0.15, sv = 0, sz = 0, st = 0)
upper <- c(v = 3, a = 2.5, z = 0.7, t = 2, sv = 2.5, sz = 0.5, st = 0.3)

gauss <- function(n) { # nodes and weights of Gauss and Legendre on (0, 1), from the eigenvalues of Jacobi's matrix
  k <- seq_len(n - 1)
  jacobi <- matrix(0, n, n)
  jacobi[cbind(k, k + 1)] <- jacobi[cbind(k + 1, k)] <- k / sqrt(4 * k^2 - 1)
  e <- eigen(jacobi, symmetric = TRUE)
  list(at = (e$values + 1) / 2, weight = e$vectors[1, ]^2)
}
parameters <- function(x) lower + (upper - lower) * plogis(x)
log_posterior <- function(x, starts, times) { # of a point on the logit scale, with the Jacobian
  value <- log_likelihood(parameters(x), trials$rt, trials$response == 1, starts$at, starts$weight, times$at, times$weight)
  value + sum(dlogis(x, log = TRUE))
}
starts <- gauss(12)
times <- gauss(20)

set.seed(1)
df <- 5
cpu <- proc.time()[["user.self"]]
begin <- qlogis((c(0.7, 1.1, 0.5, 0.45, 0.5, 0.2, 0.15) - lower) / (upper - lower))
mode <- optim(begin, function(x) max(-1e10, log_posterior(x, starts, times)), control = list(fnscale = -1, maxit = 400))
middle <- mode$par
spread <- diag(c(0.1, 0.1, 0.3, 0.1, 0.8, 1, 0.8)^2)
for (n in c(500, 500, 1000, 1000, 2000, 12000)) {
  root <- chol(spread)
  normal <- matrix(rnorm(7 * n), n) %*% root
  x <- sweep(normal / sqrt(rchisq(n, df) / df), 2, middle, "+")
  distance <- colSums(backsolve(root, t(sweep(x, 2, middle)), transpose = TRUE)^2)
  proposal <- -(df + 7) / 2 * log1p(distance / df)
  target <- apply(x, 1, log_posterior, starts = starts, times = times)
  weight <- exp(target - proposal - max(target - proposal))
  weight <- weight / sum(weight)
  cat(n, "draws, effective", 1 / sum(weight^2), "\n")
  cut <- pmin(weight, quantile(weight, 0.99)) # for the next proposal only
  middle <- colSums(x * cut) / sum(cut)
  spread <- 1.1 * crossprod(sweep(x, 2, middle) * sqrt(cut / sum(cut)))
}
cpu <- proc.time()[["user.self"]] - cpu

theta <- t(apply(x, 1, parameters))
out <- NULL
for (name in names(lower)) {
  d <- theta[, name]
  mean <- sum(weight * d)
  sd <- sqrt(sum(weight * (d - mean)^2))
  out <- rbind(out, data.frame(subject = participant, parameter = name, mean = mean, sd = sd, mcse_mean = sqrt(sum(weight^2 * (d - mean)^2)),
    mcse_sd = sqrt(sum(weight^2 * ((d - mean)^2 - sd^2)^2)) / (2 * sd), effective = 1 / sum(weight^2), trials = nrow(trials)))
}
out[3:7] <- lapply(out[3:7], signif, 6)
write.csv(out, args[2], row.names = FALSE, quote = FALSE)
likely <- order(-target)[seq(1, 8000, length.out = 20)]
fine <- apply(x[likely, ], 1, log_posterior, starts = gauss(30), times = gauss(80))
cat("finer rules change a log posterior by", max(abs(fine - target[likely])), "\n")
cat(cpu, "CPU seconds\n")
