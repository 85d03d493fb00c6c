// log density of first passage times without drift, with its gradient by hand: Stan's own wiener differentiates every term of the
// series on its tape, which takes a hundred times as long.
#include <cmath>
#include <vector>

namespace first_passage {

// Log density of time tau at the lower one of two boundaries alpha apart, from w times alpha above it, noise 1, no drift, and its
// derivatives. Both series are those of Navarro and Fuss (2009), with terms below exp(-40) left out.
inline double log_density(double tau, double alpha, double w, double& d_tau, double& d_alpha, double& d_w) {
  const double pi = 3.14159265358979323846;
  double u = tau / (alpha * alpha), s = 0, s_u = 0, s_w = 0, log_p, p_u, p_w;
  if (u < 0.3) {
    for (int k = -2; k <= 2; k++) {
      double x = w + 2 * k, e = std::exp(-(x * x - w * w) / (2 * u));
      s += x * e;
      s_w += (1 - x * x / u) * e;
      s_u += x * x * x / (2 * u * u) * e;
    }
    log_p = -0.5 * std::log(2 * pi) - 1.5 * std::log(u) + std::log(s) - w * w / (2 * u);
    p_u = -1.5 / u + s_u / s;
    p_w = s_w / s;
  } else {
    for (int k = 1; k <= 6; k++) {
      double e = k * std::exp(-(k * k - 1) * pi * pi * u / 2);
      s += e * std::sin(k * pi * w);
      s_w += k * pi * e * std::cos(k * pi * w);
      s_u -= k * k * pi * pi / 2 * e * std::sin(k * pi * w);
    }
    log_p = std::log(pi) + std::log(s) - pi * pi * u / 2;
    p_u = s_u / s;
    p_w = s_w / s;
  }
  d_tau = p_u / (alpha * alpha);
  d_alpha = -2 / alpha * (u * p_u + 1);
  d_w = p_w;
  return log_p - 2 * std::log(alpha);
}

inline double result(double value, const std::vector<double>&, const std::vector<double>&) { return value; }
inline stan::math::var result(double value, const std::vector<stan::math::var>& operands, const std::vector<double>& gradient) {
  return stan::math::precomputed_gradients(value, operands, gradient);
}

}  // namespace first_passage

// Sum over series i of count[i] times the log density of rt[i], where half separation, start and non-decision time have the index at[i].
template <typename T0, typename T1, typename T2, typename T3, typename T4>
typename boost::math::tools::promote_args<T0, T1, T2, T3, typename boost::math::tools::promote_args<T4>::type>::type
series(const Eigen::Matrix<T0, Eigen::Dynamic, 1>& a, const Eigen::Matrix<T1, Eigen::Dynamic, 1>& z,
           const Eigen::Matrix<T2, Eigen::Dynamic, 1>& t, const std::vector<int>& at, const std::vector<T3>& rt,
           const std::vector<int>& response, const Eigen::Matrix<T4, Eigen::Dynamic, 1>& count, std::ostream*) {
  typedef typename boost::math::tools::promote_args<T0, T1, T2, T3, typename boost::math::tools::promote_args<T4>::type>::type T;
  using stan::math::value_of;
  const int n = a.size();
  std::vector<double> gradient(3 * n, 0.0);
  std::vector<T> operands;
  for (int j = 0; j < n; j++) operands.push_back(a[j]);
  for (int j = 0; j < n; j++) operands.push_back(z[j]);
  for (int j = 0; j < n; j++) operands.push_back(t[j]);
  double sum = 0;
  for (size_t i = 0; i < at.size(); i++) {
    const int j = at[i] - 1;
    const double c = value_of(count[i]), sign = response[i] == 1 ? -1 : 1, start = value_of(z[j]);
    double d_tau, d_alpha, d_w;
    sum += c * first_passage::log_density(value_of(rt[i]) - value_of(t[j]), 2 * value_of(a[j]), response[i] == 1 ? 1 - start : start,
                                          d_tau, d_alpha, d_w);
    gradient[j] += c * 2 * d_alpha;
    gradient[n + j] += c * sign * d_w;
    gradient[2 * n + j] -= c * d_tau;
  }
  return first_passage::result(sum, operands, gradient);
}
