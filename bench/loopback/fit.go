package main

import "math"

// exponent fits y = a·x^k by least squares over the logarithms, and returns k: 1 is linear, 2 quadratic. It is NaN for
// fewer than two different x.
func exponent(x, y []float64) float64 {
	n, sx, sy, sxx, sxy := 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range x {
		if x[i] <= 0 || y[i] <= 0 {
			continue // what could not be measured
		}
		lx, ly := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	spread := n*sxx - sx*sx
	if n < 2 || spread <= 1e-12*n*sxx {
		return math.NaN()
	}
	return (n*sxy - sx*sy) / spread
}

// spread is by how much the largest of some figures is above the smallest: 0.25 is 25 %. It is NaN if one is unknown.
func spread(figures []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, f := range figures {
		if f <= 0 {
			return math.NaN()
		}
		low, high = min(low, f), max(high, f)
	}
	if len(figures) == 0 {
		return math.NaN()
	}
	return high/low - 1
}
