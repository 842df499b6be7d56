package proxy

import "github.com/sabir-proxy/sabir/adapters/hub"

// tally counts what happened in one stream. The pump moves it into the metrics at every flush and into the log at the
// end; counting into plain integers keeps atomic operations out of the loop.
type tally struct {
	records  int64
	bytesIn  int64 // used by the splitter
	bytesOut int64 // framed
	in       [hub.NumKinds]int64
	out      [hub.NumKinds][hub.NumFates]int64
	copied   int64 // records that were not translated
	repairs  hub.RepairCounts
	faults   map[hub.Reason]int64
	first    *hub.Error
}

func (t *tally) fault(e *hub.Error) {
	if t.faults == nil {
		t.faults = map[hub.Reason]int64{}
	}
	t.faults[e.Reason]++
	if t.first == nil {
		t.first = e
	}
}

func (t *tally) firstError() error {
	if t.first == nil {
		return nil
	}
	return t.first
}

func (t *tally) errors() (n int64) {
	for _, v := range t.faults {
		n += v
	}
	return n
}

func (t *tally) eventsIn() (n int64) {
	for _, v := range t.in {
		n += v
	}
	return n
}

func (t *tally) eventsOut() (n int64) {
	for k := range t.out {
		for _, v := range t.out[k] {
			n += v
		}
	}
	return n
}

// fate is how many events met fate f.
func (t *tally) fate(f hub.Fate) (n int64) {
	for k := range t.out {
		n += t.out[k][f]
	}
	return n
}
