package report

import (
	_ "embed"
	"encoding/json"

	"likc/runtime/model/ssm"
	"likc/search/study/applied"
	"likc/search/study/sweep"
)

//go:embed paper.json
var paperText []byte

// paper holds the paper's results, which the page shows beside the run's.
type paper struct {
	Lambda    []sweep.Row `json:"lambda"`
	Ungrouped int         `json:"ungrouped"` // number of the searches in Lambda[0] that learned from ungrouped data
	Top       []struct {
		Name    string             `json:"name"`
		Lambda  float64            `json:"lambda"`
		Size    int                `json:"size"`
		MSE     float64            `json:"mse"`
		R       map[string]float64 `json:"r"`
		HeldOut float64            `json:"held_out"`
		KS      float64            `json:"ks"`
	} `json:"top"`
	HeldOut []struct {
		Name        string             `json:"name"`
		R           map[string]float64 `json:"r"`
		RhatHigh    int                `json:"rhat"` // number of subjects whose R-hat is too high
		Divergences int                `json:"divergences"`
	} `json:"held_out"`
	Gate []struct {
		Name      string   `json:"name"`
		Value     float64  `json:"value"`
		Threshold *float64 `json:"threshold"`
	} `json:"gate"`
	Speed     []paperSpeed       `json:"speed"`
	MedianMSE float64            `json:"pool_median_mse"`
	Predicted int                `json:"predictor_forms"`
	Refit     []sweep.RefitGroup `json:"refit"`
	// Screen compares the screen by posterior modes with NUTS; the fields are those of [screenRow].
	Screen []struct {
		Lambda float64    `json:"lambda"`
		Screen float64    `json:"screen"` // share of expressions that pass the screen
		Nuts   float64    `json:"nuts"`   // share of expressions that pass by NUTS
		Forms  int        `json:"forms"`  // 0 if the paper gives only the share
		Passes [2]int     `json:"passes"`
		Both   int        `json:"both"`
		Mean   [2]float64 `json:"mean_recovered"`
		R      float64    `json:"r_recovered"`
		Same   float64    `json:"same_recovered"`
	} `json:"screen"`
	Applied []applied.Summary `json:"applied"` // NaN for figures that the paper does not give
}

// readPaper reads paper.json.
func readPaper() (p paper, err error) {
	err = json.Unmarshal(paperText, &p)
	return p, err
}

// on returns the paper's figures for a model. They are for the drift-diffusion model, except the times, which can be compared with
// any model's.
func (p paper) on(model string) paper {
	if model == ssm.DDM.Name {
		return p
	}
	return paper{Speed: p.Speed}
}

// PaperRows returns the paper's rows of λ. They are for the model ddm; other models have none.
func PaperRows(model string) []sweep.Row {
	p, err := readPaper()
	if err != nil {
		return nil
	}
	return p.on(model).Lambda
}

// paperSpeed is a row of the paper's times, in milliseconds.
type paperSpeed struct {
	N        int     `json:"n"`
	Value    float64 `json:"value"`
	Gradient float64 `json:"gradient"` // value and gradient together
}
