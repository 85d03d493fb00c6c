package trials

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// These are usual names of columns, in the form that plain returns. If two columns have a usual name, the user must choose.
var (
	rtNames = []string{"rt", "rts", "reactiontime", "responsetime", "resptime", "latency", "rtsec", "rtseconds", "rtms",
		"latencyms", "reactiontimems", "responsetimems", "resptimems"}
	// q is RWiener's name of response times, but it may also be a covariate's symbol.
	rtAliases      = append(slices.Clone(rtNames), "q")
	choiceAliases  = []string{"choice", "choices", "response", "responses", "resp", "c"}
	subjectAliases = []string{"subject", "subjects", "subj", "subjidx", "subjid", "subjectid", "subjectidx", "participant",
		"participants", "participantid", "id", "sub", "subjectnumber", "subjectnr", "participantnumber", "participantnr", "ppt", "vp", "vpn",
		"prolificid", "workerid"}
)

// delayNames are the usual names of the delay of a stop signal. Files have it in the unit of the response times.
var delayNames = []string{"ssd", "stopsignaldelay", "signaldelay"}

// isDelay reports whether a trial symbol has a usual name of a stop signal's delay.
func isDelay(symbol string) bool { return slices.Contains(delayNames, plain(symbol)) }

// plain removes the case and the punctuation of a column's name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// ResponseTime returns the trial symbol that has a usual name of response times, "" if there is none.
func ResponseTime(symbols []string) string {
	for _, s := range symbols {
		if slices.Contains(rtNames, plain(s)) {
			return s
		}
	}
	return ""
}

// plan says which column of a file is used for what.
type plan struct {
	names    []string // the file's columns
	trials   []int    // file column of each trial symbol
	choice   int      // -1 if the model has no choice
	subject  int      // -1 if subjects are not wanted
	rt       int      // index in trials of the response time, or -1
	extra    []int    // file columns of Options.Extra
	supplied []int    // file columns of Options.Supplied, for the columns that the file has
	above0   []bool   // for each of trials: whether it holds only positive numbers
	zero     []bool   // for each of trials: whether it holds only numbers that are 0 or positive
	watched  []int    // columns that name subjects, if the user did not say how to treat them
	deadline int      // file column of the deadlines, or -1
	// suspected are the columns that nothing uses and that may name participants; nil if the user said how to treat participants.
	suspected []*suspect
	response  int // file column of responses for a model without choice, or -1
}

// need is a symbol for which a column must be found.
type need struct {
	symbol   string
	called   string   // the name of the symbol in messages
	given    string   // the column that the user named, "" if none
	aliases  []string // usual names, as plain writes them
	question Question // question to ask if no column is found
}

// newPlan finds the columns of a file that o asks for. names are the file's columns.
func newPlan(names []string, o Options) (*plan, error) {
	if err := checkNames(names); err != nil {
		return nil, err
	}
	needs, err := o.needs()
	if err != nil {
		return nil, err
	}
	p := &plan{names: names, choice: -1, subject: -1, rt: o.responseTime(), deadline: -1, response: -1}
	if p.extra, err = extraColumns(names, o); err != nil {
		return nil, err
	}
	if o.Deadline.Column != "" {
		if p.deadline = slices.Index(names, o.Deadline.Column); p.deadline < 0 {
			return nil, fmt.Errorf("no column %q for the deadline; the columns are %s", o.Deadline.Column, list(names))
		}
	}
	taken, err := p.match(needs, o)
	if err != nil {
		return nil, err
	}
	if o.Choice == "" {
		if p.response, err = p.responseColumn(o, taken); err != nil {
			return nil, err
		}
	}
	if o.Persons && p.subject < 0 {
		if found := p.candidates(need{symbol: "subject", aliases: subjectAliases}, needs); len(found) == 1 && taken[found[0]] == "" {
			p.subject = found[0]
		}
	}
	if o.Careful && !o.Pool && !o.grouped() {
		p.watched = p.where(func(name string) bool { return slices.Contains(subjectAliases, plain(name)) })
		p.watched = slices.DeleteFunc(p.watched, func(c int) bool { return taken[c] != "" })
		p.suspected = p.suspects()
	}
	return p, nil
}

// match finds the column of each symbol: trials first, then the choice, then the subject. It returns the symbol by column.
func (p *plan) match(needs []need, o Options) (taken map[int]string, err error) {
	taken = map[int]string{}
	for i, n := range needs {
		if (o.Go != 0 || o.choiceFollows()) && n.symbol == o.Choice && n.given == "" && len(p.candidates(n, needs)) == 0 {
			continue
		}
		c, err := p.find(n, needs)
		if err != nil {
			return nil, err
		}
		if other, twice := taken[c]; twice {
			return nil, n.unclear("column %q is wanted for %s and for %s", p.names[c], other, n.symbol)
		}
		taken[c] = n.symbol
		switch {
		case i < len(o.Trials):
			p.trials = append(p.trials, c)
			p.above0 = append(p.above0, slices.Contains(o.Positive, n.symbol))
			p.zero = append(p.zero, slices.Contains(o.Zero, n.symbol))
		case i == len(o.Trials) && o.Choice != "":
			p.choice = c
		default:
			p.subject = c
		}
	}
	return taken, nil
}

func checkNames(names []string) error {
	seen := map[string]int{}
	for i, name := range names {
		if first, twice := seen[name]; twice && name != "" {
			return fmt.Errorf("header: two columns are named %q (columns %d and %d): rename one", name, first+1, i+1)
		}
		seen[name] = i
	}
	return nil
}

// needs lists the symbols that need a column: the trial symbols, the choice if there is one, the subject if it is wanted.
func (o Options) needs() ([]need, error) {
	rt := o.responseTime()
	var needs []need
	for i, s := range o.Trials {
		n := need{symbol: s, called: s, given: o.Rename[s]}
		if i == rt {
			n.aliases = rtAliases
		}
		if isDelay(s) {
			n.aliases = delayNames
		}
		needs = append(needs, n)
	}
	symbols := slices.Clone(o.Trials)
	if o.Choice != "" {
		needs = append(needs, need{symbol: o.Choice, called: calledChoice(o.Choice), given: o.Rename[o.Choice], aliases: choiceAliases})
		symbols = append(symbols, o.Choice)
	}
	for _, s := range sortedKeys(o.Rename) {
		if !slices.Contains(symbols, s) {
			return nil, fmt.Errorf("column %q for %s: the model has no symbol %q, its data symbols are %s", o.Rename[s], s, s, list(symbols))
		}
	}
	if o.grouped() {
		needs = append(needs, need{"subject", "subject", o.Subject, subjectAliases, WhichSubjects})
	}
	return needs, nil
}

// calledChoice returns the word for a choice in messages. A model may call it by a letter, which users do not know.
func calledChoice(symbol string) string {
	if len(symbol) > 1 {
		return symbol
	}
	return "the choice " + symbol
}

// find returns the column of a need: the one that the user named, or one with the exact name, or with the name in another case, or
// with a usual name. A column with another symbol's exact name is no candidate.
func (p *plan) find(n need, all []need) (int, error) {
	if n.given != "" {
		if i := slices.Index(p.names, n.given); i >= 0 {
			return i, nil
		}
		return p.only(n, "no column "+strconv.Quote(n.given), p.where(func(name string) bool { return strings.EqualFold(name, n.given) }))
	}
	return p.only(n, "no column for "+n.called, p.candidates(n, all))
}

// candidates returns the columns whose names fit a need.
func (p *plan) candidates(n need, all []need) []int {
	if i := slices.Index(p.names, n.symbol); i >= 0 {
		return []int{i}
	}
	free := func(name string) bool {
		return !slices.ContainsFunc(all, func(o need) bool { return o.symbol != n.symbol && (o.symbol == name || o.given == name) })
	}
	found := p.where(func(name string) bool { return strings.EqualFold(name, n.symbol) && free(name) })
	if len(found) == 0 {
		found = p.where(func(name string) bool { return slices.Contains(n.aliases, plain(name)) && free(name) })
	}
	return found
}

// only returns the one column found; it returns an error if there are none or several.
func (p *plan) only(n need, none string, found []int) (int, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if p.headless() {
			return 0, fmt.Errorf("no header: the first row holds numbers, want the names of the columns")
		}
		return 0, n.unclear("%s: the columns are %s", none, list(p.names))
	}
	return 0, n.unclear("columns %q and %q could both be %s", p.names[found[0]], p.names[found[1]], n.symbol)
}

// where returns the columns whose names satisfy a condition.
func (p *plan) where(is func(name string) bool) []int {
	var found []int
	for i, name := range p.names {
		if is(name) {
			found = append(found, i)
		}
	}
	return found
}

// headless reports whether the names are numbers, as in a file without a header.
func (p *plan) headless() bool {
	return !slices.ContainsFunc(p.names, func(name string) bool {
		_, err := strconv.ParseFloat(name, 64)
		return err != nil
	})
}

// list lists the first few items, quoted if they would be ambiguous otherwise.
func list(names []string) string {
	const most = 20
	var words []string
	for _, name := range names[:min(len(names), most)] {
		if quoted := quote(name); name == "" || quoted != `"`+name+`"` || strings.Contains(name, ", ") {
			name = quoted
		}
		words = append(words, name)
	}
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words, ", "), len(names)-most)
	}
	return strings.Join(words, ", ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func ending(path string) string { return filepath.Ext(path) }

func errorf(file, format string, args ...any) error {
	return fmt.Errorf("%s: %s", file, fmt.Sprintf(format, args...))
}
