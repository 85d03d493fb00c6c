package calibrate

import (
	"fmt"
	"math"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/search/find/divergence"
)

// Means over a teacher's trials use the trapezoid rule in the log of the time since the onset, in seconds.
const (
	firstTime = 1e-5
	timeStep  = 0.12 // step of the rule in log time

)

// population is the distribution of a teacher's trials at one parameter vector: points with weights that add up to 1.
type population struct {
	rt, choice, weight []float64
	score              [][]float64 // for each point, the gradient of the teacher's log density, minus the mean gradient
	entropy            float64     // minus the mean log density under the teacher, in nats
}

// populationOf evaluates the teacher's log density and its gradient at times up to last. It omits times at which the teacher's
// density is negligible, because a teacher that was trained on trials is wrong at times without trials.
func populationOf(teacher *catalog.Model, theta []float64, last float64) (*population, error) {
	density, ok := teacher.Density()
	if !ok {
		return nil, fmt.Errorf("%s has no density of its own", teacher.Name)
	}
	rt, choice, logWidth := timesOf(teacher, theta, last)
	rows, err := density.Rows(kernel.Responses(rt, choice))
	if err != nil {
		return nil, err
	}
	logp, at, grad := make([]float64, len(rt)), make([][]float64, len(theta)), make([][]float64, len(theta))
	for j := range theta {
		at[j], grad[j] = theta[j:j+1], make([]float64, len(rt))
	}
	rows.Each(at, logp, grad)
	most := math.Inf(-1)
	for i := range rt {
		logWidth[i] += logp[i]
		most = max(most, logWidth[i])
	}
	p := &population{}
	total := 0.0
	for i := range rt {
		if logWidth[i] > most+divergence.Negligible {
			total += p.add(rt[i], choice[i], logp[i], math.Exp(logWidth[i]), grad, i)
		}
	}
	if !(total > 0.5) {
		return nil, fmt.Errorf("%s integrates to %.3g at %v", teacher.Name, total, theta)
	}
	p.normalise(total)
	return p, nil
}

// timesOf returns, for each choice, times from just after the teacher's onset up to last, and the logs of their widths in the
// integral.
func timesOf(teacher *catalog.Model, theta []float64, last float64) (rt, choice, logWidth []float64) {
	onset := teacher.OnsetAt(theta)
	n := int(math.Log((last-onset)/firstTime)/timeStep) + 1
	for _, c := range teacher.Codes() {
		for i := range n {
			s := math.Log(firstTime) + timeStep*float64(i)
			rt, choice, logWidth = append(rt, onset+math.Exp(s)), append(choice, c), append(logWidth, math.Log(timeStep)+s)
		}
	}
	return rt, choice, logWidth
}

// add appends a point with its weight. logp is the log density at the point, and column i of grad holds the derivatives. It
// returns the weight.
func (p *population) add(rt, choice, logp, weight float64, grad [][]float64, i int) float64 {
	score := make([]float64, len(grad))
	for j := range score {
		score[j] = grad[j][i]
	}
	p.rt, p.choice, p.weight, p.score = append(p.rt, rt), append(p.choice, choice), append(p.weight, weight), append(p.score, score)
	p.entropy -= weight * logp
	return weight
}

// normalise divides the weights by their total, so that they sum to 1, and subtracts the mean from the scores.
func (p *population) normalise(total float64) {
	p.entropy = p.entropy/total + math.Log(total)
	mean := make([]float64, len(p.score[0]))
	for i := range p.weight {
		p.weight[i] /= total
		for j, s := range p.score[i] {
			mean[j] += p.weight[i] * s
		}
	}
	for i := range p.score {
		for j := range mean {
			p.score[i][j] -= mean[j]
		}
	}
}

// deviation returns the standard deviation of the response times, in seconds.
func (p *population) deviation() float64 {
	mean, square := 0.0, 0.0
	for i, w := range p.weight {
		mean += w * p.rt[i]
	}
	for i, w := range p.weight {
		square += w * (p.rt[i] - mean) * (p.rt[i] - mean)
	}
	return math.Sqrt(square)
}
