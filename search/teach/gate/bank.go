package gate

import (
	"context"
	"fmt"
	"os"

	"likc/runtime/model/neural"
	"likc/runtime/model/ssm"
	"likc/search/study/bank"
	"likc/search/teach/corpus"
)

// OpenBank returns the bank on which to examine a teacher, from the folder dir. If dir is the name of the gate's role, gate-100, and
// no such folder exists, it simulates that role's bank with seed 1. It refuses a bank that the teacher learned from.
func OpenBank(ctx context.Context, dir string, o *neural.Teacher, threads int) (*bank.Bank, error) {
	b, err := openOrMake(ctx, dir, o.Simulator, threads)
	if err != nil {
		return nil, err
	}
	for _, used := range o.Banks {
		s, err := corpus.BankSettings(used)
		if err != nil {
			return nil, err
		}
		if s.Role == b.Settings.Role && s.Seed == b.Settings.Seed {
			return nil, fmt.Errorf("%s: trained the teacher: examine it on another bank", dir)
		}
	}
	return b, nil
}

func openOrMake(ctx context.Context, dir string, m *ssm.Model, threads int) (*bank.Bank, error) {
	if _, err := os.Stat(dir); err == nil || dir != Role {
		return bank.Open(dir)
	}
	s, err := bank.SettingsOf(Role, m, "", 1)
	if err != nil {
		return nil, err
	}
	return bank.Make(ctx, s, threads)
}
