package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"likc/runtime/model/ssm"
)

// counterMain is a program for --exec: two Poisson counters race to five events.
func counterMain() {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	for in.Scan() {
		var ask struct {
			N     int
			Seed  uint64
			Theta map[string]float64
		}
		if err := json.Unmarshal(in.Bytes(), &ask); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		r := ssm.NewRand(ask.Seed, 0)
		count := func(rate float64) (after float64) {
			for range 5 {
				after += r.ExpFloat64() / rate
			}
			return after
		}
		for range ask.N {
			first, second, choice := count(ask.Theta["l0"]), count(ask.Theta["l1"]), 0
			if second < first {
				choice = 1
			}
			fmt.Fprintf(out, "%v,%d\n", ask.Theta["t"]+math.Min(first, second), choice)
		}
		fmt.Fprintln(out)
		out.Flush()
	}
}
