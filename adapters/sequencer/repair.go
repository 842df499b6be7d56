package sequencer

// Repair is what the sequencer did to make a stream normalized: a closed set, the label of a counter.
type Repair uint8

// Repairs, in the order of the table of rules.
const (
	PartReopened Repair = iota
	TextRepeated
	TextTail
	TextDiverged
	Held
	HoldExpired // released by a bound: count, bytes or age
	StartMade
	StartRepeated
	ReadyMade
	LateArgs
	LateUpdate
	LateOutput
	LateAsk
	ArgsDiffer
	ArgsCut   // arguments reached their limit
	ResultCut // a result made of partial outputs reached its limit
	EndRepeated
	EndMade
	SubAgentMade
	SubAgentReopened
	SecondEnd
	SecondStart
	AfterEnd
	TruncatedRun
	Stray          // an end or answer to something that never began
	ResumedUnknown // a result of a call that neither this stream nor the request has
	Provisional    // a result that was held back, because the call's own was to follow

	repairCount
)

var repairNames = [repairCount]string{
	"part_reopened", "text_repeated", "text_tail", "text_diverged", "held", "hold_expired", "start_made",
	"start_repeated", "ready_made", "late_args", "late_update", "late_output", "late_ask", "args_differ", "args_cut", "result_cut",
	"end_repeated", "end_made", "lane_made", "lane_reopened", "second_end", "second_start", "after_end", "truncated",
	"stray", "resumed_unknown", "provisional",
}

// NumRepairs is the size of the vocabulary, for arrays of counters.
const NumRepairs = int(repairCount)

func (r Repair) String() string { return repairNames[r] }

// RepairCounts counts repairs by kind.
type RepairCounts [repairCount]uint32

// Total is the number of repairs of all kinds.
func (c *RepairCounts) Total() (n uint64) {
	for _, v := range c {
		n += uint64(v)
	}
	return n
}

// Repairs lists every kind of repair.
func Repairs() []Repair {
	all := make([]Repair, repairCount)
	for i := range all {
		all[i] = Repair(i)
	}
	return all
}
