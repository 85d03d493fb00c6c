//go:build unix

// Command mutants asks whether the tests would notice a mistake: it makes small mistakes in a package, one at a time (< for <=,
// max for min, a statement left out), and runs the package's tests on each. A mutant is killed if they fail. A mutant that
// stays alive is equivalent to the original, or a test is missing. Only blocks that the tests execute are
// changed. No file on disk is changed: the compiler reads all mutants of a package at once through an overlay, and an
// environment variable selects the one that runs. If root runs this program, the tests run as user nobody, because a mutant
// could write anywhere.
//
//	make bin/mutants && bin/mutants [flags] PACKAGE[,USER...]...
//
// If a package's own tests leave a mutant alive, the tests of its USERs run on it too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	var (
		seed  = flag.Uint64("seed", 1, "seed of the sample")
		n     = flag.Int("n", 25, "mutants a package")
		least = flag.Float64("least", 0, "fail where a smaller share of a package's mutants is killed")
		limit = flag.Duration("timeout", 10*time.Second, "time that the tests of a mutant may take, in addition to four times that of the original")
		only  = flag.String("only", "", "take only mutants whose place and change match this regular expression")
	)
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	table, low := "", false
	for _, argument := range flag.Args() {
		packages := strings.Split(argument, ",")
		alive, tried, err := try(ctx, packages, rand.New(rand.NewPCG(*seed, 0)), *n, *limit, pattern)
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		if err != nil {
			fail(fmt.Errorf("%s: %w", packages[0], err))
		}
		table += fmt.Sprintf("%-24s %4d mutants %4d killed %4d alive\n", packages[0], tried, tried-alive, alive)
		low = low || float64(tried-alive) < *least*float64(tried)
	}
	fmt.Print("\n", table)
	if low {
		fail(fmt.Errorf("fewer than %g of a package's mutants are killed", *least))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "mutants:", err)
	os.Exit(1)
}

// try makes at most n mutants of the first package whose texts match pattern. It runs the tests of all packages on each, prints the mutants
// that no test notices, and returns their number and the number of mutants.
func try(ctx context.Context, packages []string, random *rand.Rand, n int, limit time.Duration, pattern *regexp.Regexp) (alive, tried int, err error) {
	b, err := newBench(ctx, packages, limit)
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(b.folder)
	profile, err := b.cover(ctx)
	if err != nil {
		return 0, 0, err
	}
	all, err := reached(profile, b.packages[0])
	if err != nil {
		return 0, 0, err
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	checker, err := newChecker(ctx, b.packages[0])
	if err != nil {
		return 0, 0, err
	}
	var sample []mutant
	for _, m := range all {
		if len(sample) < n && pattern.MatchString(m.String()) && checker.compiles(m) {
			sample = append(sample, m)
		}
	}
	killed, err := b.judge(ctx, sample)
	if err == nil {
		err = ctx.Err() // tests that a signal has ended say nothing about their mutants
	}
	if err != nil {
		return 0, 0, err
	}
	for k, m := range sample {
		if killed[k] {
			fmt.Println("killed", m)
		} else {
			fmt.Println("ALIVE ", m)
			alive++
		}
	}
	return alive, len(sample), nil
}
