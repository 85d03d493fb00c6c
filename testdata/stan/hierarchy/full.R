# Trials of a participant with one time and one choice are one series of the density, counted.
subject <- d$subj_idx - min(d$subj_idx) + 1
counted <- aggregate(list(count = rep(1, nrow(d))), list(subject = subject, rt = d$rt, response = d$response), sum)
by <- function(x) as.vector(tapply(x, subject, sum))
data <- list(J = max(subject), fastest = as.vector(tapply(d$rt, subject, min)),
             S = nrow(counted), rt = counted$rt, response = counted$response, subject = counted$subject, count = counted$count,
             n = by(rep(1, nrow(d))), up = by(d$response), time = by(d$rt),
             theta = by(d$theta), theta_up = by(d$theta * d$response), theta_time = by(d$theta * d$rt),
             theta2 = by(d$theta^2), theta2_time = by(d$theta^2 * d$rt))
start <- function() list(mu = c(0.3, 0, 0, 1), sigma = rep(0.3, 4), v_level = rep(0.3, data$J), a_level = rep(0, data$J),
                         z_offset = rep(0, data$J), t_level = rep(1, data$J), v_theta = 0)
