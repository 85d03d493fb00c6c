package designs

// These are the scales of likc fit's default links, and ranges that are typical of real participants.
var (
	logarithm = Link{Log: true}
	boundary  = Link{Low: 0.3, High: 2.5} // logit onto the range of the boundary a
	start     = Link{Low: 0.1, High: 0.9} // logit onto the range of the start point z

	// The parameters of ddm: drift, boundary, start point and non-decision time.
	v = Param{Name: "v", Low: -3, High: 3}
	a = Param{Name: "a", Low: 0.7, High: 1.6, Link: boundary}
	z = Param{Name: "z", Low: 0.4, High: 0.6, Link: start}
	t = Param{Name: "t", Low: 0.2, High: 0.5, Link: logarithm}

	condition = Factor{Name: "condition", Levels: []string{"easy", "hard"}}
	three     = Factor{Name: "cue", Levels: []string{"left", "neutral", "right"}}
	age       = Factor{Name: "age", Levels: []string{"old", "young"}, Between: true}
)

// by returns the parameter with a value of its own for each combination of the levels of some factors.
func (p Param) by(factors ...string) Param { p.By = factors; return p }

// along returns the parameter with a slope along a column, at most `most` for each unit of the column.
func (p Param) along(column string, most float64) Param {
	p.Slopes = append(p.Slopes[:len(p.Slopes):len(p.Slopes)], Slope{Column: column, Most: most})
	return p
}

// among returns the parameter with offsets for the levels of a grouping. Their standard deviation is between low and high.
func (p Param) among(by, of string, low, high float64) Param {
	p.Offsets = append(p.Offsets[:len(p.Offsets):len(p.Offsets)], Offset{By: by, Of: of, Low: low, High: high})
	return p
}

// within returns a parameter whose values lie in a range, and whose effects are added on the scale of a link.
func within(name string, low, high float64, link Link) Param {
	return Param{Name: name, Low: low, High: high, Link: link}
}

// formulas returns flags of likc fit, one for each formula.
func formulas(texts ...string) (args []string) {
	for _, text := range texts {
		args = append(args, "--formula", text)
	}
	return args
}

// differ returns the contrast of a parameter between the first two levels of a factor.
func differ(param string, f Factor) Contrast {
	return Contrast{Param: param, A: map[string]string{f.Name: f.Levels[0]}, B: map[string]string{f.Name: f.Levels[1]}}
}

// All returns the designs.
func All() []Design {
	all := onePerson()
	all = append(all, manyPeople()...)
	all = append(all, otherTrials()...)
	return append(all, otherModels()...)
}

// onePerson returns designs with one participant, simulated by ddm.
func onePerson() []Design {
	x := []Number{{Name: "x", SD: 1}}
	two := []Factor{condition}
	return []Design{
		{Name: "one", Model: "ddm", People: 1, Trials: 300, Params: []Param{v, a, z, t}},
		{Name: "drift by condition", Model: "ddm", Args: formulas("v ~ condition"), People: 1, Trials: 150, Factors: two,
			Params: []Param{v.by("condition"), a, z, t}, Asked: []Contrast{differ("v", condition)}},
		{Name: "boundary by condition", Model: "ddm", Args: formulas("a ~ condition"), People: 1, Trials: 150, Factors: two,
			Params: []Param{v, a.by("condition"), z, t}, Asked: []Contrast{differ("a", condition)}},
		{Name: "start by condition", Model: "ddm", Args: formulas("z ~ condition"), People: 1, Trials: 150, Factors: two,
			Params: []Param{v, a, z.by("condition"), t}, Asked: []Contrast{differ("z", condition)}},
		{Name: "time by condition", Model: "ddm", Args: formulas("t ~ condition"), People: 1, Trials: 150, Factors: two,
			Params: []Param{v, a, z, t.by("condition")}, Asked: []Contrast{differ("t", condition)}},
		{Name: "boundary and time, a level each", Model: "ddm", Args: formulas("a ~ 0 + condition", "t ~ 0 + condition"), People: 1, Trials: 200, Factors: two,
			Params: []Param{v, a.by("condition"), z, t.by("condition")}, Asked: []Contrast{differ("a", condition), differ("t", condition)}},
		{Name: "all by condition", Model: "ddm", Args: formulas("v ~ condition", "a ~ condition", "z ~ condition", "t ~ condition"), People: 1, Trials: 200, Factors: two,
			Params: []Param{v.by("condition"), a.by("condition"), z.by("condition"), t.by("condition")},
			Asked:  []Contrast{differ("v", condition), differ("a", condition), differ("z", condition), differ("t", condition)}},
		{Name: "three levels", Model: "ddm", Args: formulas("v ~ cue", "z ~ 0 + cue"), People: 1, Trials: 120, Factors: []Factor{three},
			Params: []Param{v.by("cue"), a, z.by("cue"), t}, Asked: []Contrast{differ("v", three), differ("z", three)}},
		{Name: "two factors crossed", Model: "ddm", Args: formulas("v ~ condition*cue"), People: 1, Trials: 60, Factors: []Factor{condition, three},
			Params: []Param{v.by("condition", "cue"), a, z, t}},
		{Name: "drift along x", Model: "ddm", Args: formulas("v ~ x"), People: 1, Trials: 300, Numbers: x, Params: []Param{v.along("x", 1), a, z, t}},
		{Name: "boundary along x", Model: "ddm", Args: formulas("a ~ x"), People: 1, Trials: 300, Numbers: x, Params: []Param{v, a.along("x", 0.4), z, t}},
		{Name: "start along x", Model: "ddm", Args: formulas("z ~ x"), People: 1, Trials: 300, Numbers: x, Params: []Param{v, a, z.along("x", 0.4), t}},
		{Name: "time along x", Model: "ddm", Args: formulas("t ~ x"), People: 1, Trials: 300, Numbers: x, Params: []Param{v, a, z, t.along("x", 0.2)}},
		{Name: "time along noise", Model: "ddm", Args: formulas("t ~ x"), People: 1, Trials: 300, Numbers: x, Params: []Param{v, a, z, t}},
		{Name: "a column far from 0", Model: "ddm", Args: formulas("v ~ year"), People: 1, Trials: 300, Numbers: []Number{{Name: "year", Mean: 2000, SD: 10}},
			Params: []Param{{Name: "v", Low: -202, High: -198, Slopes: []Slope{{Column: "year", Fixed: 0.1}}}, a, z, t}},
		{Name: "a column in small units", Model: "ddm", Args: formulas("v ~ volts"), People: 1, Trials: 300, Numbers: []Number{{Name: "volts", SD: 1e-5}},
			Params: []Param{v.along("volts", 1e5), a, z, t}},
		{Name: "a slope in each condition", Model: "ddm", Args: formulas("v ~ condition*x"), People: 1, Trials: 150, Factors: two, Numbers: x,
			Params: []Param{v.by("condition").along("x", 1), a, z, t}, Asked: []Contrast{differ("v", condition)}},
		{Name: "offset", Model: "ddm", Args: formulas("v ~ 1 + x + offset(y)"), People: 1, Trials: 300, Numbers: []Number{{Name: "x", SD: 1}, {Name: "y", SD: 0.5}},
			Params: []Param{{Name: "v", Low: -2, High: 2, Slopes: []Slope{{Column: "x", Most: 1}, {Column: "y", Fixed: 1}}}, a, z, t}},
		{Name: "times of items", Model: "ddm", Args: formulas("t ~ 1 + (1 | item)"), People: 1, Trials: 400, Groups: []Grouping{{Name: "item", Levels: 8}},
			Params: []Param{v, a, z, t.among("item", "", 0.05, 0.2)}},
	}
}

// manyPeople returns hierarchies of participants, simulated by ddm.
func manyPeople() []Design {
	two := []Factor{condition}
	x := []Number{{Name: "x", SD: 1}}
	vi, ai, zi, ti := v.among("id", "", 0.2, 0.8), a.among("id", "", 0.2, 0.5), z.among("id", "", 0.1, 0.4), t.among("id", "", 0.05, 0.2)
	return []Design{
		{Name: "drifts of people", Model: "ddm", Args: formulas("v ~ 1 + (1 | id)"), People: 12, Trials: 50, Params: []Param{vi, a, z, t}},
		{Name: "all parameters of people", Model: "ddm", Args: formulas("v ~ 1 + (1 | id)", "a ~ 1 + (1 | id)", "z ~ 1 + (1 | id)", "t ~ 1 + (1 | id)"),
			People: 12, Trials: 100, Params: []Param{vi, ai, zi, ti}, Long: true},
		{Name: "drifts of people by condition", Model: "ddm", Args: formulas("v ~ 1 + condition + (1 | id)"), People: 12, Trials: 30, Factors: two,
			Params: []Param{{Name: "v", Low: -3, High: 3, By: []string{"condition"}, Offsets: []Offset{{By: "id", Low: 0.2, High: 0.8}}}, a, z, t}, Asked: []Contrast{differ("v", condition)}},
		{Name: "a drift of each person and condition", Model: "ddm", Args: formulas("v ~ 0 + condition + (0 + condition | id)"), People: 12, Trials: 30, Factors: two,
			Params: []Param{v.by("condition").among("id", "condition", 0.2, 0.8), a, z, t}, Asked: []Contrast{differ("v", condition)}},
		{Name: "speed and accuracy", Model: "ddm", Args: formulas("v ~ 1 + (1 | id)", "a ~ 0 + condition + (1 | id)", "t ~ 0 + condition + (1 | id)"), People: 10, Trials: 50, Factors: two,
			Params: []Param{vi, ai.by("condition"), z, ti.by("condition")}, Asked: []Contrast{differ("a", condition), differ("t", condition)}, Long: true},
		{Name: "slopes of people", Model: "ddm", Args: formulas("v ~ 1 + x + (1 + x | id)"), People: 12, Trials: 60, Numbers: x,
			Params: []Param{vi.along("x", 1).among("id", "x", 0.1, 0.5), a, z, t}},
		{Name: "groups of people", Model: "ddm", Args: formulas("v ~ age + (1 | id)", "a ~ age"), People: 12, Trials: 50, Factors: []Factor{age},
			Params: []Param{vi.by("age"), a.by("age"), z, t}, Asked: []Contrast{differ("v", age), differ("a", age)}},
		{Name: "people crossed with items", Model: "ddm", Args: formulas("v ~ 1 + (1 | id) + (1 | item)"), People: 10, Trials: 60, Groups: []Grouping{{Name: "item", Levels: 8}},
			Params: []Param{vi.among("item", "", 0.2, 0.6), a, z, t}},
		{Name: "people in schools", Model: "ddm", Args: formulas("v ~ 1 + (1 | school) + (1 | id)"), People: 15, Trials: 40, Groups: []Grouping{{Name: "school", Levels: 5, OfPeople: true}},
			Params: []Param{vi.among("school", "", 0.2, 0.6), a, z, t}},
	}
}

// otherTrials returns designs with lapses, deadlines and withheld responses.
func otherTrials() []Design {
	two := []Factor{condition}
	lapse := []string{"--lapse", "beta(1,20)", "--lapse-window", "0,15"}
	return []Design{
		{Name: "lapses, time by condition", Model: "ddm", Args: append(formulas("t ~ condition"), lapse...), People: 1, Trials: 150, Factors: two, Lapses: 0.05,
			Params: []Param{v, a, z, t.by("condition")}, Asked: []Contrast{differ("t", condition)}},
		{Name: "lapses, times of people", Model: "ddm", Args: append(formulas("t ~ 1 + (1 | id)"), lapse...), People: 10, Trials: 50, Lapses: 0.05,
			Params: []Param{v, a, z, t.among("id", "", 0.05, 0.2)}, Long: true},
		{Name: "deadline, drift by condition", Model: "ddm", Args: append(formulas("v ~ condition"), "--deadline", "1.2"), People: 1, Trials: 150, Factors: two, Deadline: 1.2,
			Params: []Param{v.by("condition"), a, z, t}, Asked: []Contrast{differ("v", condition)}},
		{Name: "deadline, time by condition", Model: "ddm", Args: append(formulas("t ~ condition"), "--deadline", "1.2"), People: 1, Trials: 150, Factors: two, Deadline: 1.2,
			Params: []Param{v, a, z, t.by("condition")}, Asked: []Contrast{differ("t", condition)}},
		{Name: "go or no-go", Model: "ddm", Args: append(formulas("v ~ condition"), "--deadline", "2", "--go", "1", "--fix", "z=0.5"), People: 1, Trials: 200, Factors: two, Deadline: 2, Withheld: -1,
			Params: []Param{within("v", -1, 2.5, Link{}).by("condition"), a, within("z", 0.5, 0.5, Link{}), t}, Asked: []Contrast{differ("v", condition)}},
		{Name: "stop signals", Model: "stop_signal", Args: formulas("mu_go ~ condition"), People: 1, Trials: 300, Factors: two, Signalled: true, Long: true,
			Params: []Param{within("mu_go", 0.35, 0.6, Link{Low: 0.2, High: 1.5}).by("condition"), within("sigma_go", 0.05, 0.12, Link{}), within("tau_go", 0.05, 0.2, Link{}),
				within("mu_stop", 0.15, 0.25, Link{}), within("sigma_stop", 0.03, 0.08, Link{}), within("tau_stop", 0.02, 0.08, Link{}), within("tf", 0.02, 0.15, Link{}), within("gf", 0.01, 0.1, Link{})},
			Asked: []Contrast{differ("mu_go", condition)}},
	}
}

// otherModels returns designs with other processes, races, teachers and formulas.
func otherModels() []Design {
	two := []Factor{condition}
	rate, wide := Link{Low: 0, High: 5}, Link{Low: 0.05, High: 3}
	return []Design{
		{Name: "ballistic race, distance by condition", Model: "lba2", Args: formulas("B ~ condition"), People: 1, Trials: 250, Factors: two,
			Params: []Param{within("v0", 1.5, 3.5, rate), within("v1", 0.5, 2, rate), within("A", 0.3, 0.8, Link{}), within("B", 0.3, 1.2, wide).by("condition"), within("t", 0.15, 0.3, Link{})},
			Asked:  []Contrast{differ("B", condition)}},
		{Name: "ballistic race, rates of people", Model: "lba2", Args: formulas("v0 ~ 1 + (1 | id)", "t ~ 1 + (1 | id)"), People: 10, Trials: 60, Long: true,
			Params: []Param{within("v0", 2, 3.5, rate).among("id", "", 0.2, 0.5), within("v1", 0.5, 2, rate), within("A", 0.3, 0.8, Link{}), within("B", 0.3, 1.2, wide),
				within("t", 0.15, 0.3, logarithm).among("id", "", 0.05, 0.2)}},
		{Name: "diffusion race, rates by condition", Model: "rdm2", Args: formulas("v0 ~ condition"), People: 1, Trials: 200, Factors: two,
			Params: []Param{within("v0", 1.5, 4, Link{Low: 0.01, High: 6}).by("condition"), within("v1", 0.5, 2, Link{}), within("A", 0.2, 0.6, Link{}), within("B", 0.5, 1.5, Link{}), within("t", 0.15, 0.3, Link{})},
			Asked:  []Contrast{differ("v0", condition)}},
		{Name: "lognormal race, time by condition", Model: "lnr2", Args: formulas("t ~ condition", "m0 ~ condition"), People: 1, Trials: 200, Factors: two,
			Params: []Param{within("m0", -1.2, -0.4, Link{}).by("condition"), within("m1", -0.8, 0, Link{}), within("s", 0.3, 0.7, Link{}), within("t", 0.1, 0.25, logarithm).by("condition")},
			Asked:  []Contrast{differ("t", condition), differ("m0", condition)}},
		{Name: "three choices", Model: "lnr3", Args: formulas("s ~ condition"), People: 1, Trials: 200, Factors: two,
			Params: []Param{within("m0", -1.2, -0.4, Link{}), within("m1", -0.8, 0, Link{}), within("m2", -0.8, 0, Link{}), within("s", 0.3, 0.7, Link{Low: 0.1, High: 2}).by("condition"), within("t", 0.1, 0.25, Link{})},
			Asked:  []Contrast{differ("s", condition)}},
		{Name: "one response, times of people", Model: "shifted_wald", Args: formulas("v ~ 1 + (1 | id)", "t ~ 1 + (1 | id)"), People: 10, Trials: 60,
			Params: []Param{within("v", 2, 5, Link{Low: 0.1, High: 8}).among("id", "", 0.1, 0.4), within("b", 0.8, 1.6, Link{}), within("t", 0.1, 0.3, logarithm).among("id", "", 0.05, 0.2)}},
		{Name: "ex-Gaussian by condition", Model: "exgaussian", Args: formulas("mu ~ condition", "tau ~ condition"), People: 1, Trials: 200, Factors: two,
			Params: []Param{within("mu", 0.3, 0.6, Link{Low: 0.1, High: 2}).by("condition"), within("sigma", 0.03, 0.1, Link{}), within("tau", 0.1, 0.4, Link{Low: 0.01, High: 2}).by("condition")},
			Asked:  []Contrast{differ("mu", condition), differ("tau", condition)}},
		{Name: "collapsing boundaries", Model: "angle", Args: formulas("t ~ condition", "theta ~ condition"), People: 1, Trials: 200, Factors: two, Long: true,
			Params: []Param{within("v", 0.5, 2.5, Link{}), within("a", 0.8, 1.8, Link{}), z, within("t", 0.2, 0.5, logarithm).by("condition"), within("theta", 0.1, 0.7, Link{}).by("condition")},
			Asked:  []Contrast{differ("t", condition), differ("theta", condition)}},
		{Name: "drifts that vary between trials", Model: "ddm_sdv", Args: formulas("t ~ condition"), People: 1, Trials: 200, Factors: two,
			Params: []Param{within("v", 0.5, 2.5, Link{}), a, z, t.by("condition"), within("sv", 0.3, 1.2, Link{})}, Asked: []Contrast{differ("t", condition)}},
		{Name: "a teacher, time by condition", Model: "ornstein", Args: formulas("t ~ condition"), People: 1, Trials: 200, Factors: two, Long: true,
			Params: []Param{within("v", -1.8, 1.8, Link{}), within("a", 0.8, 1.8, Link{}), z, within("g", -0.6, 0.8, Link{}), within("t", 0.2, 0.5, Link{Low: 0.001, High: 2}).by("condition")},
			Asked:  []Contrast{differ("t", condition)}},
		{Name: "a normalised formula", Model: "found57", From: "ddm", Args: formulas("a ~ 0 + condition", "t ~ 0 + condition"), People: 1, Trials: 150, Factors: two,
			Params: []Param{within("v", -2.5, 2.5, Link{}), a.by("condition"), z, t.by("condition")}, Asked: []Contrast{differ("a", condition), differ("t", condition)}},
		{Name: "a calibrated formula", Model: "expr2_lapseless", From: "ddm", Args: formulas("v ~ condition"), People: 1, Trials: 150, Factors: two,
			Params: []Param{within("v", -2.5, 2.5, Link{}).by("condition"), a, z, t}, Asked: []Contrast{differ("v", condition)}},
	}
}
