# Rscript correlated-data.R LIKC OUT: simulates the study of correlated effects with the program LIKC and writes OUT, a .csv.gz.
# 50 participants, 75 trials in each of four cells; times to a hundredth of a second, as a lab's clock may have it.
args <- commandArgs(TRUE)
set.seed(17)
correlation <- matrix(c(1, .5, -.4, .5, 1, .2, -.4, .2, 1), 3)
effects <- matrix(rnorm(150), 50) %*% chol(correlation) %*% diag(c(.3, .4, .25))
effects <- sweep(effects, 2, c(.4, 1, -.3), "+") # intercept, stim, load
all <- NULL
seed <- 0
for (j in 1:50) for (stim in c(-1, 1)) for (load in 0:1) {
  seed <- seed + 1
  v <- sum(effects[j, ] * c(1, stim, load))
  command <- sprintf("%s simulate ddm --theta v=%.6f,a=1.1,z=.48,t=.3 -n 75 --seed %d", args[1], v, seed)
  d <- read.csv(pipe(command))
  all <- rbind(all, data.frame(subj_idx = j - 1, stim = stim, load = load, rt = round(d$rt, 2), response = (d$choice + 1) / 2))
}
write.csv(all, gzfile(args[2]), row.names = FALSE, quote = FALSE)
