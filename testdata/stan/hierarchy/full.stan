// Cavanagh's data, the full model: v, a, z and t vary by participant, drift also with frontal theta.
// Group means, spreads and offsets live on the unconstrained scale; a sigmoid maps them onto the range.
// The density without drift is asked for once for each series; drift v adds v D - v² (rt - t) / 2 to its logarithm,
// D = 2a(1 - z) at the upper boundary and -2az at the lower one, which is summed by hand.
functions {
  real series(vector a, vector z, vector t, int[] at, real[] rt, int[] response, vector count); // wiener.hpp
}
data {
  int<lower=1> J;
  vector[J] fastest;
  int<lower=1> S; // series: participant, time, choice
  real<lower=0> rt[S];
  int<lower=0, upper=1> response[S];
  int<lower=1, upper=J> subject[S];
  vector[S] count;
  vector[J] n;    // sums over a participant's trials
  vector[J] up;   // of the upper boundary, as 1
  vector[J] time;
  vector[J] theta;
  vector[J] theta_up; // of products
  vector[J] theta_time;
  vector[J] theta2;
  vector[J] theta2_time;
}
parameters {
  vector[4] mu;             // v, a, z, t
  vector<lower=0>[4] sigma;
  vector[J] v_level;        // group mean plus offset
  vector[J] a_level;
  vector[J] z_offset;       // offset over its spread, which is small
  vector[J] t_level;
  real v_theta;
}
transformed parameters {
  vector[J] v = -3 + 6 * inv_logit(v_level); // without theta
  vector[J] a = 0.3 + 2.2 * inv_logit(a_level);
  vector[J] z = 0.1 + 0.8 * inv_logit(mu[3] + sigma[3] * z_offset);
  vector[J] t = fastest .* inv_logit(t_level);
}
model {
  mu ~ normal(0, 1);
  sigma ~ normal(0, 0.5);
  v_level ~ normal(mu[1], sigma[1]);
  a_level ~ normal(mu[2], sigma[2]);
  z_offset ~ normal(0, 1);
  t_level ~ normal(mu[4], sigma[4]);
  v_theta ~ normal(0, 0.5);
  target += series(a, z, t, subject, rt, response, count);
  target += sum(2 * a .* (v .* (up - z .* n) + v_theta * (theta_up - z .* theta)));
  target += -sum(square(v) .* (time - t .* n) + 2 * v_theta * v .* (theta_time - t .* theta)
                 + square(v_theta) * (theta2_time - t .* theta2)) / 2;
}
