# Rscript check.R: compares the density of wiener.hpp, and its gradient, with Stan's own at 200 random parameters, 40 trials each.
library(rstan)
rstan_options(boost_lib = "/usr/include") # where Debian has it
model <- stan_model("check.stan", allow_undefined = TRUE, includes = paste0('\n#include "', getwd(), '/wiener.hpp"\n'))
data <- list(S = 40, rt = rep(c(0.32, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6), 2),
             response = rep(0:1, each = 20))
of <- lapply(0:1, function(own) suppressMessages(sampling(model, c(data, own = own), chains = 0)))
set.seed(1)
worst <- c(0, 0)
for (k in 1:200) {
  x <- runif(3, -2, 2)
  value <- sapply(of, log_prob, x)
  slope <- sapply(of, grad_log_prob, x)
  worst <- pmax(worst, c(abs(diff(value)), max(abs(slope[, 1] - slope[, 2]) / (1 + abs(slope[, 1])))))
}
cat("largest difference of log density", worst[1], "and, relative, of its gradient", worst[2], "\n")
