package report

import "strings"

// gateTitles names the figures of a teacher's gate in plain words.
var gateTitles = map[string]string{
	"ece":           "Calibration of response times",
	"ece_subject":   "Calibration by subject",
	"predictive_ks": "Distance of predicted trials",
	"choice_mae":    "Error of predicted choices",
	"choice_r":      "Agreement of predicted choices",
	"mass_median":   "Error of the total probability, median",
	"mass_worst":    "Error of the total probability, worst",
	"mass_below_t":  "Probability before the non-decision time",
	"cross_r":       "Agreement with another network",
	"cross_mae":     "Difference from another network",
	"exact_r":       "Agreement with the exact density",
	"exact_mae":     "Difference from the exact density",
	"recovery":      "Recovery of parameters",
}

// gateTitle returns the plain words for a figure of a gate, or its name if there are none.
func gateTitle(name string) string {
	if title, ok := gateTitles[name]; ok {
		return title
	}
	if param, ok := strings.CutPrefix(name, "recovery_"); ok {
		return "Recovery of " + param
	}
	return name
}
