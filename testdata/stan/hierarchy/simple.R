subject <- d$subj_idx - min(d$subj_idx) + 1
data <- list(N = nrow(d), J = max(subject), rt = d$rt, response = d$response, theta = d$theta, subject = subject)
start <- function() list(v_Intercept = 0.5, v_theta = 0, v_sigma = 0.2, v_subject = rep(0.5, data$J), a = 1, z = 0.5, t = min(d$rt) / 2)
