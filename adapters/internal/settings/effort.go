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

// Budgets is the option of agents whose API takes no number of tokens for reasoning.
var Budgets = hub.OptionSpec{
	Name: "budgets", Type: hub.OptionEnum, Default: "drop", Values: []string{"drop", "effort"}, Decode: true,
	Doc: "What becomes of a number of tokens for reasoning, for which the API has no place: drop leaves it to the model, effort asks for low, medium or high. Models that do not reason refuse that.",
}

// EffortForBudget takes the budget for reasoning away, and makes an effort of it if the upstream's option says so and the request names none
// itself. Either is the loss settings.budget, but an effort of none for a budget of 0. A budget that leaves it to the model (-1) is no effort.
func EffortForBudget(s *hub.Settings, upstream hub.Options, l *hub.Losses) {
	if s.Budget == nil {
		return
	}
	n, whole := rawjson.Int(s.Budget)
	if !whole {
		n = -1
	}
	s.Budget = nil
	asked := upstream.EnumOr(Budgets.Name, Budgets.Default) == "effort" && n >= 0 && len(s.Effort) == 0
	if asked {
		s.Effort = []byte(effortOf(n))
	}
	l.AddIf("settings.budget", string(s.Effort) != "none" || n != 0)
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
