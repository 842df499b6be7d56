package settings

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Budgets from which on an effort is meant, as other translators of these APIs have them. Google's own budgets for efforts, which Gemini
// agents get, lie within: 1024, 8192 and 24576.
const (
	mediumBudget = 5000
	highBudget   = 10000
)

// EffortForBudget makes an effort of a budget for reasoning, for APIs that take no number of tokens. An effort that the request names itself
// stays. It is an approximation, which is the loss settings.budget, but where the budget is 0. A budget that leaves it to the model
// (-1) is no effort: models that do not reason refuse any.
func EffortForBudget(s *hub.Settings, l *hub.Losses) {
	if s.Budget == nil {
		return
	}
	n, whole := rawjson.Int(s.Budget)
	if !whole {
		n = -1
	}
	l.AddIf("settings.budget", n != 0 || len(s.Effort) > 0 && string(s.Effort) != "none")
	s.Budget = nil
	if len(s.Effort) > 0 || n < 0 {
		return
	}
	s.Effort = []byte(effortOf(n))
}

func effortOf(budget int64) string {
	switch {
	case budget >= highBudget:
		return "high"
	case budget >= mediumBudget:
		return "medium"
	case budget > 0:
		return "low" // minimal is less than that, and newer models do not know it
	}
	return "none"
}

// LowToMax is an effort for APIs that know those from low to max; "" for others, which are the loss settings.effort. That there is to be no
// reasoning is the caller's to say.
func LowToMax(effort []byte, l *hub.Losses) string {
	switch e := string(effort); e {
	case "low", "medium", "high", "xhigh", "max":
		return e
	case "", "none":
		return ""
	case "minimal":
		l.Add("settings.effort")
		return "low"
	}
	l.Add("settings.effort")
	return ""
}
