// Package ssm holds sequential sampling models: their parameters and ranges,
// the reflection between boundaries, simulators, and the exact first-passage
// density and distribution of the drift-diffusion model.
//
// The drift-diffusion model is dV = v dτ + dW between the boundaries -a and
// +a, with V(0) = a(2z-1), unit noise, and rt = t + τ for the decision time τ
// at which V first leaves the interval; the choice is +1 at the upper
// boundary and -1 at the lower one. So a is HALF the boundary separation
// (Stan, brms, RWiener and rtdists take the full separation 2a), z is
// relative, and times are in seconds. A parameter vector is ordered v, a, z, t.
//
// References, by the names used in comments:
//
//	[navarro2009]    Navarro, Fuss. Fast and accurate calculations for
//	                 first-passage times in Wiener diffusion models.
//	                 J. Math. Psychol. 53 (2009) 222-230.
//	[gondan2014]     Gondan, Blurton, Kesselmeier. Even faster and even more
//	                 accurate first-passage time densities and distributions
//	                 for the Wiener diffusion model. J. Math. Psychol. 60
//	                 (2014) 20-22.
//	[anderson1960]   Anderson. A modification of the sequential probability
//	                 ratio test to reduce the sample size. Ann. Math. Stat. 31
//	                 (1960) 165-197.
//	[blurton2012]    Blurton, Kesselmeier, Gondan. Fast and accurate
//	                 calculations for cumulative first-passage time
//	                 distributions in Wiener diffusion models. J. Math.
//	                 Psychol. 56 (2012) 470-475.
//	[devroye2009]    Devroye. On exact simulation algorithms for some
//	                 distributions related to Jacobi theta functions. Stat.
//	                 Probab. Lett. 79 (2009) 2251-2259.
//	[polson2013]     Polson, Scott, Windle. Bayesian inference for logistic
//	                 models using Pólya-Gamma latent variables. JASA 108
//	                 (2013) 1339-1349.
//	[drugowitsch2016] Drugowitsch. Fast and accurate Monte Carlo sampling of
//	                 first-passage times from Wiener diffusion models. Sci.
//	                 Rep. 6 (2016) 20490.
//	[heathcote2012]  Heathcote, Love. Linear deterministic accumulator models
//	                 of simple choice. Front. Psychol. 3 (2012) 292.
//	[brown2008]      Brown, Heathcote. The simplest complete model of choice
//	                 response time: linear ballistic accumulation. Cogn.
//	                 Psychol. 57 (2008) 153-178.
//	[tillman2020]    Tillman, Van Zandt, Logan. Sequential sampling models
//	                 without random between-trial variability: the racing
//	                 diffusion model of speeded decision making. Psychon. Bull.
//	                 Rev. 27 (2020) 911-936.
//	[ratcliff1978]   Ratcliff. A theory of memory retrieval. Psychol. Rev. 85
//	                 (1978) 59-108.
//	[ratcliff1998]   Ratcliff, Rouder. Modeling response times for two-choice
//	                 decisions. Psychol. Sci. 9 (1998) 347-356.
//	[robert1995]     Robert. Simulation of truncated normal variables. Stat.
//	                 Comput. 5 (1995) 121-125.
//	[michael1976]    Michael, Schucany, Haas. Generating random variates using
//	                 transformations with multiple roots. Am. Stat. 30 (1976)
//	                 88-90.
package ssm
