package vec

import "math"

type float interface{ float32 | float64 }

func addPortable[T float](dst, x, y []T) {
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func subPortable[T float](dst, x, y []T) {
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func mulPortable[T float](dst, x, y []T) {
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func divPortable[T float](dst, x, y []T) {
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func fmaPortable(dst, x, y, z []float64) {
	for i := range dst {
		dst[i] = math.FMA(x[i], y[i], z[i])
	}
}

func minimumPortable(dst, x, y []float64) {
	for i := range dst {
		dst[i] = math.Min(x[i], y[i])
	}
}

func maximumPortable(dst, x, y []float64) {
	for i := range dst {
		dst[i] = math.Max(x[i], y[i])
	}
}

func addScalarPortable[T float](dst, x []T, c T) {
	for i := range dst {
		dst[i] = x[i] + c
	}
}

func mulScalarPortable[T float](dst, x []T, c T) {
	for i := range dst {
		dst[i] = x[i] * c
	}
}

func scalarDivPortable[T float](dst, x []T, c T) {
	for i := range dst {
		dst[i] = c / x[i]
	}
}

func squarePortable[T float](dst, x []T) {
	for i := range dst {
		dst[i] = x[i] * x[i]
	}
}

func absPortable(dst, x []float64) { each(dst, x, math.Abs) }

func negPortable(dst, x []float64) {
	for i := range dst {
		dst[i] = -x[i]
	}
}

func sqrtPortable[T float](dst, x []T) {
	for i := range dst {
		dst[i] = T(math.Sqrt(float64(x[i])))
	}
}

func expPortable[T float](dst, x []T) {
	for i := range dst {
		dst[i] = T(fullExp(float64(x[i])))
	}
}

// fullExp returns exp(x) for all x. On amd64 math.Exp overflows from 709.4 on, 0.4 too early.
func fullExp(x float64) float64 {
	const ln2Hi, ln2Lo = 0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33
	if x > 709 && x < 710 {
		return math.Ldexp(math.Exp(x-1023*ln2Hi-1023*ln2Lo), 1023)
	}
	return math.Exp(x)
}

func logPortable[T float](dst, x []T) {
	for i := range dst {
		dst[i] = T(fullLog(float64(x[i])))
	}
}

// fullLog returns log(x), also for subnormal numbers, which math.Log on amd64 treats as numbers near 2^-1022.
func fullLog(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func powPortable(dst, x, y []float64) {
	for i := range dst {
		dst[i] = fullPow(x[i], y[i])
	}
}

// fullPow returns x^y, also for subnormal x, whose logarithm in math.Pow is wrong on amd64.
func fullPow(x, y float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return fullExp(y * fullLog(x))
	}
	return math.Pow(x, y)
}

func expm1Portable(dst, x []float64) { each(dst, x, math.Expm1) }

func log1pPortable(dst, x []float64) { each(dst, x, math.Log1p) }

func sinPortable(dst, x []float64) { each(dst, x, math.Sin) }

func cosPortable(dst, x []float64) { each(dst, x, math.Cos) }

func erfPortable(dst, x []float64) { each(dst, x, math.Erf) }

func normCDFPortable(dst, x []float64) { each(dst, x, normcdf) }

func logNormCDFPortable(dst, x []float64) { each(dst, x, lognormcdf) }

func inverseMillsPortable(dst, x []float64) { each(dst, x, inversemills) }

func log1mExpPortable(dst, x []float64) { each(dst, x, fullLog1mExp) }

// fullLog1mExp returns log(1 - exp(x)), also for subnormal x, for which 1 - exp(x) is -x.
func fullLog1mExp(x float64) float64 {
	if x < 0 && x > -0x1p-1022 {
		return fullLog(-x)
	}
	return log1mexp(x)
}

func logAddExpPortable(dst, x, y []float64) {
	for i := range dst {
		dst[i] = logaddexp(x[i], y[i])
	}
}

func lessPortable(dst, x, y []float64) {
	for i := range dst {
		dst[i] = truth(x[i] < y[i])
	}
}

func lessEqualPortable(dst, x, y []float64) {
	for i := range dst {
		dst[i] = truth(x[i] <= y[i])
	}
}

// truth returns 1 for true and 0 for false.
func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func choosePortable(dst, x, y, z []float64) {
	for i := range dst {
		if x[i] != 0 {
			dst[i] = y[i]
		} else {
			dst[i] = z[i]
		}
	}
}

func each(dst, x []float64, f func(float64) float64) {
	for i := range dst {
		dst[i] = f(x[i])
	}
}

// partials is the number of partial sums: element i is added to partial sum i%partials.
const partials = 32

func sumPortable[T float](x []T) float64 {
	var part [partials]float64
	for len(x) >= partials {
		for i, v := range x[:partials] {
			part[i] += float64(v)
		}
		x = x[partials:]
	}
	for i, v := range x {
		part[i] += float64(v)
	}
	return pairwise(&part)
}

func squaredDistancePortable[T float](x, y []T) float64 {
	var part [partials]float64
	for i, v := range x {
		d := float64(v) - float64(y[i])
		part[i%partials] += float64(d * d) // rounded, not fused
	}
	return pairwise(&part)
}

// pairwise returns the sum of the partial sums, in the order in which vector kernels add their registers.
func pairwise(part *[partials]float64) float64 {
	for _, apart := range []int{8, 16} {
		for i := 0; i+apart < partials; i++ {
			if i%(2*apart) < 8 {
				part[i] += part[i+apart]
			}
		}
	}
	for apart := 4; apart > 0; apart /= 2 {
		for i := range apart {
			part[i] += part[i+apart]
		}
	}
	return part[0]
}
