# Trials with one time and one choice are one series of the density, counted; those of a participant in a cell share a drift.
counted <- aggregate(list(count = rep(1, nrow(d))), list(rt = d$rt, response = d$response), sum)
cells <- aggregate(list(n = rep(1, nrow(d)), up = d$response, time = d$rt), list(subject = d$subj_idx + 1, stim = d$stim, load = d$load), sum)
data <- list(J = max(cells$subject), fastest = min(d$rt), S = nrow(counted), rt = counted$rt, response = counted$response,
             count = counted$count, C = nrow(cells), subject = cells$subject, x = cbind(1, cells$stim, cells$load), n = cells$n,
             up = cells$up, time = cells$time)
start <- function() list(mu = c(0.4, 1, -0.3), sigma = rep(0.3, 3), L = diag(3), b = matrix(c(0.4, 1, -0.3), data$J, 3, byrow = TRUE),
                         a = 1, z = 0.5, t = min(d$rt) / 2)
