package chains

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// samplerNames are the first columns of a Stan CSV file, in its order.
var samplerNames = []string{"lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"}

// WriteStan writes one chain as CmdStan does, so that cmdstanpy, cmdstanr, rstan and ArviZ read it. Numbers have as many digits as
// are needed to read them back exactly. The header's num_samples and num_warmup are the numbers of draws in the file, so that an
// interrupted run gives a valid file too. The last line is a comment with the SHA-256 sum of all lines above, for [Read]. No clock
// time is written, so that the same draws give the same bytes.
func (d *Draws) WriteStan(w io.Writer, chain int) error {
	c := &d.Chains[chain]
	for _, name := range d.Names {
		if column := dotted(name); column == "" || strings.ContainsAny(column, ",\"#\r\n ") {
			return fmt.Errorf("write chain %d: parameter name %q cannot head a CSV column", c.ID, name)
		}
	}
	if len(c.Energy) != c.Len() {
		return fmt.Errorf("write chain %d: draws have no sampler columns", c.ID)
	}
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	d.writeHeader(out, c)
	writeRows(out, &c.Warmup)
	writeAdapted(out, &c.Adapted)
	writeRows(out, &c.Trace)
	out.WriteString(elapsed)
	if err := out.Flush(); err != nil { // bufio keeps the first error
		return err
	}
	_, err := fmt.Fprintf(w, "%s%x\n", sumComment, sum.Sum(nil))
	return err
}

// elapsed replaces the lines in which CmdStan writes how long sampling took. likc writes no times, but rstan warns if these lines are
// missing.
const elapsed = "# \n#  Elapsed Time: NA seconds (Warm-up)\n#                NA seconds (Sampling)\n#                NA seconds (Total)\n# \n"

// sumComment begins the last line, a comment with the SHA-256 sum of all lines above it.
const sumComment = "# SHA-256 of the lines above: "

func (d *Draws) writeHeader(out *bufio.Writer, c *Chain) {
	r := d.Run
	warmup, save := r.NumWarmup, 0
	if c.Warmup.Len() > 0 {
		warmup, save = c.Warmup.Len()*max(r.Thin, 1), 1 // readers expect ceil(num_warmup/thin) rows of warm-up
	}
	model := strings.Join(strings.Fields(r.Model), "_")
	if model == "" {
		model = "model"
	}
	fmt.Fprintf(out, "# model = %s\n# method = sample (Default)\n#   sample\n", model)
	fmt.Fprintf(out, "#     num_samples = %d\n#     num_warmup = %d\n", c.Len()*max(r.Thin, 1), warmup)
	fmt.Fprintf(out, "#     save_warmup = %d\n#     thin = %d\n", save, max(r.Thin, 1)) // rstan needs 1, not true
	fmt.Fprintf(out, "#     adapt\n#       engaged = 1 (Default)\n#       delta = %v\n", r.Delta)
	fmt.Fprintf(out, "#     algorithm = hmc (Default)\n#       hmc\n#         engine = nuts (Default)\n#           nuts\n")
	fmt.Fprintf(out, "#             max_depth = %d\n#         metric = %s\n", r.MaxDepth, r.Metric)
	fmt.Fprintf(out, "#         stepsize = %v\n#         stepsize_jitter = %v\n", r.StepSize, r.Jitter)
	fmt.Fprintf(out, "# id = %d\n# init = %v\n# random\n#   seed = %d\n", c.ID, r.Init, r.Seed)
	out.WriteString(strings.Join(samplerNames, ","))
	for _, name := range d.Names {
		out.WriteByte(',')
		out.WriteString(dotted(name))
	}
	out.WriteByte('\n')
}

func writeRows(out *bufio.Writer, t *Trace) {
	var line []byte
	for k := range t.Len() {
		line = strconv.AppendFloat(line[:0], t.LogDensity[k], 'g', -1, 64)
		line = strconv.AppendFloat(append(line, ','), t.AcceptStat[k], 'g', -1, 64)
		line = strconv.AppendFloat(append(line, ','), t.StepSize[k], 'g', -1, 64)
		line = strconv.AppendInt(append(line, ','), int64(t.TreeDepth[k]), 10)
		line = strconv.AppendInt(append(line, ','), int64(t.Leapfrogs[k]), 10)
		divergent := byte('0')
		if t.Divergent[k] {
			divergent = '1'
		}
		line = append(line, ',', divergent, ',')
		line = strconv.AppendFloat(line, t.Energy[k], 'g', -1, 64)
		for _, column := range t.Params {
			line = strconv.AppendFloat(append(line, ','), column[k], 'g', -1, 64)
		}
		out.Write(append(line, '\n'))
	}
}

func writeAdapted(out *bufio.Writer, a *Adapted) {
	fmt.Fprintf(out, "# Adaptation terminated\n# Step size = %v\n", a.StepSize)
	if len(a.InvMetric) > 1 {
		out.WriteString("# Elements of inverse mass matrix:\n")
	} else {
		out.WriteString("# Diagonal elements of inverse mass matrix:\n")
	}
	for _, row := range a.InvMetric {
		text := make([]string, len(row))
		for i, v := range row {
			text[i] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		fmt.Fprintf(out, "# %s\n", strings.Join(text, ", "))
	}
}

// dotted turns theta[1,2] into Stan's column name theta.1.2. A subscript that is no index, such as the label of a participant, stays in
// brackets.
func dotted(name string) string {
	base, indices, found := strings.Cut(name, "[")
	if !found || !strings.HasSuffix(indices, "]") {
		return name
	}
	indices = strings.TrimSuffix(indices, "]")
	for index := range strings.SplitSeq(indices, ",") {
		if !isIndex(index) {
			return name
		}
	}
	return base + "." + strings.ReplaceAll(indices, ",", ".")
}

// bracketed turns Stan's column name theta.1.2 into theta[1,2].
func bracketed(column string) string {
	parts := strings.Split(column, ".")
	first := len(parts)
	for first > 1 && isIndex(parts[first-1]) {
		first--
	}
	if first == len(parts) {
		return column
	}
	return strings.Join(parts[:first], ".") + "[" + strings.Join(parts[first:], ",") + "]"
}

func isIndex(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && s[0] != '+' && s[0] != '0'
}
