package hub

// A Rule is one that the streams of a dialect keep: a closed set, the label of a counter. Package conform tells where one is broken.
type Rule uint8

// Rules.
const (
	RuleFraming Rule = iota
	RuleWhole
	RuleJSON
	RuleSize
	RuleMember
	RuleType
	RuleKnown
	RuleEventName
	RuleCounter
	RuleEndMark
	RuleStart
	RuleOneStart
	RuleEnd
	RuleOneEnd
	RuleNothingAfter
	RuleUniqueID
	RuleStarted
	RulePartStarted
	RuleOrder
	RuleNotEnded
	RuleClosed
	RulePartClosed
	RuleReady
	RuleResult
	RuleArguments
	RuleSame

	ruleCount
)

// RuleText says what a rule is: the name in metrics and logs, and a sentence for people.
type RuleText struct{ Name, Says string }

var ruleTexts = [ruleCount]RuleText{
	RuleFraming:      {"framing", "Records follow each other as the framing says."},
	RuleWhole:        {"record_cut", "The stream does not end inside a record."},
	RuleJSON:         {"not_json", "A record is JSON, in UTF-8."},
	RuleSize:         {"too_large", "A record is no longer, and no deeper, than `limits.record` and `limits.nesting` say."},
	RuleMember:       {"member_missing", "The members that a record needs are there."},
	RuleType:         {"member_type", "A member has the type that the dialect gives it."},
	RuleKnown:        {"unknown_record", "A record is of a type that the dialect has."},
	RuleEventName:    {"event_name", "The name of an SSE event is the type that its record says."},
	RuleCounter:      {"numbering", "The number of a record is that of the record before, and one."},
	RuleEndMark:      {"end_mark", "The end mark of the dialect is the last record, and there once."},
	RuleStart:        {"no_start", "The first record begins the run."},
	RuleOneStart:     {"second_start", "A run begins once."},
	RuleEnd:          {"no_end", "A stream ends with the record that ends the run."},
	RuleOneEnd:       {"second_end", "A run ends once."},
	RuleNothingAfter: {"after_end", "Nothing of a run comes after its end."},
	RuleUniqueID:     {"id_reused", "An id names one call, step, question or sub-agent, and none after it."},
	RuleStarted:      {"never_started", "What a record adds to, changes or ends was started before."},
	RulePartStarted:  {"part_not_started", "A delta of an answer belongs to a part that was started, and has not ended."},
	RuleOrder:        {"before_start", "The start of a call comes before everything else that is said of it."},
	RuleNotEnded:     {"after_close", "What was completed or ended is not added to, asked about, or ended again."},
	RuleClosed:       {"left_open", "A step or sub-agent that was started is ended before the run ends well."},
	RulePartClosed:   {"part_left_open", "A part of an answer is ended before the run ends well."},
	RuleReady:        {"arguments_left_open", "A record completes the arguments of a call that was started."},
	RuleResult:       {"no_result", "A call that the agent runs has its result before the run ends well."},
	RuleArguments:    {"bad_arguments", "The arguments of a call, joined, are JSON."},
	RuleSame:         {"retold", "What is said again as a whole is what its pieces have said."},
}

// Rules lists the closed set.
func Rules() []Rule {
	all := make([]Rule, ruleCount)
	for i := range all {
		all[i] = Rule(i)
	}
	return all
}

func (r Rule) String() string { return ruleTexts[r].Name }

// Says is the sentence that explains the rule.
func (r Rule) Says() string { return ruleTexts[r].Says }

// Passed reports whether the rule is about what is said, and not about how: whoever translates a stream passes it on as it is.
func (r Rule) Passed() bool {
	switch r {
	case RuleArguments, RuleSame, RuleKnown, RuleResult:
		return true
	}
	return false
}

// Grammar is what of the rules is particular to a dialect.
type Grammar struct {
	Permits   []Rule // those that the dialect has not, beside the ones below
	Parts     bool   // texts are in parts that records begin and end
	EventName string // the member that the names of SSE events repeat; "" for none
	Counter   string // the member that counts the records; "" for none
	EndMark   string // the record behind the last one; "" for none
}

// Has reports whether streams of the dialect keep the rule.
func (g *Grammar) Has(r Rule) bool {
	for _, p := range g.Permits {
		if p == r {
			return false
		}
	}
	switch r {
	case RulePartStarted, RulePartClosed:
		return g.Parts
	case RuleEventName:
		return g.EventName != ""
	case RuleCounter:
		return g.Counter != ""
	case RuleEndMark:
		return g.EndMark != ""
	}
	return true
}
