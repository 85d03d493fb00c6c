package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// report holds the counts of a page.
type report struct {
	lines     int
	sentences int
	long      []passage // sentences of more than mostWords words
	words     int       // number of words of prose
	numbers   int       // number of those words that are numerals
	tics      []hit
}

// passage is a text and the line at which its paragraph begins.
type passage struct {
	line int
	text string
}

// hit is a tic where it was found.
type hit struct {
	name string
	passage
}

// tic is a word or phrase that these pages used too often, with the words to write instead.
type tic struct {
	name, advice string
	pattern      *regexp.Regexp
	tables       bool // whether it is looked for in tables too
}

// tics are the words and phrases that the program looks for.
var tics = []tic{
	{"alone", "only, before its noun", regexp.MustCompile(`(?i)\balone\b`), true},
	{"wants", "requires, needs", regexp.MustCompile(`(?i)\bwants?\b`), true},
	{"says", "shows, reports, states", regexp.MustCompile(`(?i)\b(say|says|said)\b`), true},
	{"takes", "accepts, reads, needs", regexp.MustCompile(`(?i)\b(commands?|stages?|models?|tasks?|teachers?|processes|formulas?|races?|everything else|which|that|also) takes? (?:no |only )?(?:models|races|a cluster|files|simulate|them|it|your|\x60)`), true},
	{"per", "per trial, per second", regexp.MustCompile(`(?i)\b(nats|trials|draws|rows?|once|twice|times|parameters?|seconds|µs|ns|ms|number|response|accumulator|formula|gradients|divergences|call|hours|items|value|each)\b an? (trial|second|subject|person|participant|choice|evaluation|model|fit|step|kind|search|parameter|minute)\b`), true},
	{"those", "the noun again", regexp.MustCompile(`(?i)\b(those that|those of|that of|the latter|the former|all of them|some of them|one of them|most of them|none of them)\b`), false},
	{"goes on", "continues", regexp.MustCompile(`(?i)\b(goes|go|went|gone|going) on\b`), true},
	{"beside", "next to, compared with, besides", regexp.MustCompile(`(?i)\bbeside\b`), true},
	{"anew", "again", regexp.MustCompile(`(?i)\banew\b`), true},
	{"brings about", "runs", regexp.MustCompile(`(?i)\b(brings?|brought) about\b`), true},
	{"stands in for", "approximates, replaces", regexp.MustCompile(`(?i)\b(stand|stands|standing) in for\b`), true},
	{"holds", "contains (an interval contains the truth)", regexp.MustCompile(`(?i)\b(hold|holds|held|covers?|covered) (the )?(truths?|true values?|it\b)`), true},
	{"tuple", "a column for each parameter", regexp.MustCompile(`[0-9] / [−-]?[0-9.]`), true},
	{"leading zero", "0.89, not .89", regexp.MustCompile(`(^|[\s(\[|±<>≤≥−–-])\.[0-9]`), true},
	{"error", "RMSE, bias, or difference", regexp.MustCompile(`(?i)\berrors? (over|beside) `), true},
}

var (
	code    = regexp.MustCompile("``[^`]+``|`[^`]+`|<code>.*?</code>")
	image   = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	tag     = regexp.MustCompile(`<[^>]+>`)
	bullet  = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
	end     = regexp.MustCompile(`[.!?][)”"*]*$`)
	abbrev  = regexp.MustCompile(`(?i)(\bal|\be\.g|\bi\.e|\betc|\bvs|\bno|\beq|\bvol)\.$`)
	numeral = regexp.MustCompile(`^[(\[±−–-]*\.?[0-9]`)
)

// examine reads a page. Its prose is all text outside blocks of code, tables and headings.
func examine(text string) (r report) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	r.lines = len(lines)
	fenced := false
	var paragraph []string
	begin := 0
	flush := func() {
		r.paragraph(begin, strings.Join(paragraph, " "))
		paragraph = nil
	}
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
			flush()
		case fenced:
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "<!--"):
			flush()
		case strings.HasPrefix(trimmed, "|"):
			flush()
			r.find(i+1, plain(trimmed), true)
		default:
			if bullet.MatchString(line) {
				flush()
				line = bullet.ReplaceAllString(line, "")
			}
			if len(paragraph) == 0 {
				begin = i + 1
			}
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	flush()
	return r
}

// plain returns a text without markup: code becomes one word, a link its text, and pictures are removed.
func plain(text string) string {
	text = code.ReplaceAllString(text, "CODE")
	text = image.ReplaceAllString(text, "")
	text = link.ReplaceAllString(text, "$1")
	return tag.ReplaceAllString(text, "")
}

// paragraph counts the sentences of a paragraph.
func (r *report) paragraph(line int, text string) {
	text = plain(text)
	r.find(line, text, false)
	var sentence []string
	words := strings.Fields(text)
	close := func() {
		n := 0
		for _, w := range sentence {
			if strings.IndexFunc(w, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) >= 0 {
				n++
			}
		}
		if n > 0 {
			r.sentences++
			r.words += n
		}
		if n > mostWords {
			r.long = append(r.long, passage{line, strings.Join(sentence, " ")})
		}
		sentence = nil
	}
	for _, w := range words {
		sentence = append(sentence, w)
		if numeral.MatchString(w) {
			r.numbers++
		}
		if end.MatchString(w) && !abbrev.MatchString(w) {
			close()
		}
	}
	close()
}

// find looks for tics.
func (r *report) find(line int, text string, table bool) {
	for _, t := range tics {
		if table && !t.tables {
			continue
		}
		for _, at := range t.pattern.FindAllStringIndex(text, -1) {
			r.tics = append(r.tics, hit{t.name, passage{line, text[max(0, at[0]-30):min(len(text), at[1]+30)]}})
		}
	}
}

// density returns the number of numbers per 100 words of prose.
func (r report) density() float64 {
	if r.words == 0 {
		return 0
	}
	return 100 * float64(r.numbers) / float64(r.words)
}

// add adds the counts of another page.
func (r *report) add(s report) {
	r.lines += s.lines
	r.sentences += s.sentences
	r.words += s.words
	r.numbers += s.numbers
	r.long = append(r.long, s.long...)
	r.tics = append(r.tics, s.tics...)
}

// complaints returns a line for each limit that the page exceeds.
func (r report) complaints(page string, exceptions []exception, all bool) (lines []string) {
	if r.lines > mostLines && !allowed(exceptions, page, "length") {
		lines = append(lines, fmt.Sprintf("%s: %d lines, at most %d", page, r.lines, mostLines))
	}
	long := max(2, int(mostLong*float64(r.sentences)))
	if beyond := len(r.long) > long && !allowed(exceptions, page, "sentences"); beyond || all {
		if beyond {
			lines = append(lines, fmt.Sprintf("%s: %d of %d sentences have more than %d words, at most %d", page, len(r.long), r.sentences, mostWords, long))
		}
		for _, s := range r.long {
			lines = append(lines, fmt.Sprintf("%s:%d: long: %s", page, s.line, s.text))
		}
	}
	if d := r.density(); d > mostNumbers && !allowed(exceptions, page, "numbers") {
		lines = append(lines, fmt.Sprintf("%s: %.1f numbers per 100 words, at most %d: make a table or a figure of them", page, d, mostNumbers))
	}
	for _, t := range r.tics {
		if !allowed(exceptions, page, strings.ReplaceAll(t.name, " ", "-")) {
			lines = append(lines, fmt.Sprintf("%s:%d: %s: …%s…", page, t.line, t.name, t.text))
		}
	}
	return lines
}

// fails reports whether the page is far beyond a limit.
func (r report) fails(page string, exceptions []exception) bool {
	tics := 0
	for _, t := range r.tics {
		if !allowed(exceptions, page, strings.ReplaceAll(t.name, " ", "-")) {
			tics++
		}
	}
	return tics > failTics || r.lines > failLines && !allowed(exceptions, page, "length") ||
		len(r.long) > max(2, int(failLong*float64(r.sentences))) && !allowed(exceptions, page, "sentences")
}
