package corpus

import (
	"encoding/json"
	"fmt"

	"likc/runtime/model/neural"
	"likc/search/study/bank"
)

// BankSettings decodes the settings of a bank that a teacher learned from. The same settings simulate the same bank again.
func BankSettings(b neural.Bank) (bank.Settings, error) {
	var s bank.Settings
	if err := json.Unmarshal(b.Settings, &s); err != nil {
		return s, fmt.Errorf("teacher.json: settings of a bank: %w", err)
	}
	return s, nil
}
