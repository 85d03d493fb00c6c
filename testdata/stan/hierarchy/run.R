# Rscript run.R MODEL DATA OUT WARMUP DRAWS: fits MODEL.stan with rstan to what MODEL.R makes of the data, and writes OUT (a row a parameter).
library(rstan)
rstan_options(boost_lib = "/usr/include") # where Debian has it
args <- commandArgs(TRUE)
warmup <- as.integer(args[4])
d <- read.csv(args[2])
source(paste0(args[1], ".R")) # data, start
model <- stan_model(paste0(args[1], ".stan"), allow_undefined = TRUE, includes = paste0('\n#include "', getwd(), '/wiener.hpp"\n'))
cpu <- proc.time()
fit <- sampling(model, data, chains = 4, cores = 1, seed = 1, warmup = warmup, iter = warmup + as.integer(args[5]), init = start, refresh = 100)
cpu <- sum((proc.time() - cpu)[1:2])
draws <- as.array(fit)
leapfrogs <- sapply(get_sampler_params(fit, inc_warmup = TRUE), function(x) sum(x[, "n_leapfrog__"]))
divergent <- sapply(get_sampler_params(fit, inc_warmup = FALSE), function(x) sum(x[, "divergent__"]))
m <- as.data.frame(monitor(draws, warmup = 0, print = FALSE))
mcse_sd <- apply(draws, 3, rstan:::mcse_sd)
out <- data.frame(param = rownames(m), mean = m$mean, sd = m$sd, mcse_mean = m$se_mean, mcse_sd = mcse_sd, ess_bulk = m$Bulk_ESS, ess_tail = m$Tail_ESS, rhat = m$Rhat)
out <- out[out$sd > 0, ] # without what is constant, as the first entry of a Cholesky factor
write.csv(format(out, digits = 10), args[3], row.names = FALSE, quote = 1)
cat("cpu", cpu, "gradients", sum(leapfrogs), "divergent", sum(divergent), "rstan", as.character(packageVersion("rstan")), R.version.string, "\n")
