package recognize

import (
	"cmp"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Bounds of what is read to recognise a stream. The records that tell stand at its beginning.
const (
	MaxBytes   = 256 << 10
	maxRecords = 256
)

// Report is what a stream looks like.
type Report struct {
	Framing wire.Framing // Auto: there was no record to tell by
	Records int
	Matches []Match // dialects that recognise at least one record, the likeliest first
}

// Match is what one dialect recognises in a stream.
type Match struct {
	Dialect      *hub.Dialect
	Recognised   int
	Errors       int // of Recognised: nothing but the failure of the run, which many dialects tell alike
	Unrecognised int
	Version      string // of the dialect, "" where it has one only or no record tells
}

// Share is the part of the records that tell anything which the dialect recognises.
func (m *Match) Share() float64 {
	return float64(m.Recognised) / float64(m.Recognised+m.Unrecognised)
}

// Sure is how sure it is that the first match is right.
type Sure uint8

// Grades.
const (
	Unknown   Sure = iota // no dialect recognises anything, or several as little
	Ambiguous             // several dialects recognise the same
	Doubtful              // the first match recognises less than half, which may be names that others have as well
	Likely                // the first match recognises most, but not all, or another one comes close
	Certain               // the first match recognises nearly everything, and no other one comes close
)

func (s Sure) String() string {
	return [...]string{"unknown", "ambiguous", "doubtful", "likely", "certain"}[s]
}

// What makes a match certain: the least share of its own, the largest share of the next; and the least share of one that is likely.
const (
	certainShare = 0.8
	likelyShare  = 0.5
	closeShare   = 0.5
)

// Sure grades the first match.
func (r *Report) Sure() Sure {
	switch {
	case len(r.Matches) == 0:
		return Unknown
	case len(r.Tied()) > 1 && r.Matches[0].Share() < likelyShare:
		return Unknown
	case len(r.Tied()) > 1:
		return Ambiguous
	case r.Matches[0].Share() < likelyShare:
		return Doubtful
	case r.Matches[0].telling() == 0 || r.Matches[0].Share() < certainShare || r.isContested():
		return Likely
	}
	return Certain
}

// isContested reports whether another dialect comes close to the first match, beside those that read that dialect as well.
func (r *Report) isContested() bool {
	first := r.Matches[0]
	for _, m := range r.Matches[1:] {
		if m.telling() > 0 && m.reads(first) == 0 && m.Share() > closeShare*first.Share() {
			return true
		}
	}
	return false
}

// Tied are the matches that fit as well as the first, and the first.
func (r *Report) Tied() []Match {
	n := 0
	for n < len(r.Matches) && compare(r.Matches[0], r.Matches[n]) == 0 {
		n++
	}
	return r.Matches[:n]
}

// Looks is the name of the dialect that a stream looks like, "" if there is none that comes nearest.
func (r *Report) Looks() string {
	if r.Sure() < Doubtful {
		return ""
	}
	return r.Matches[0].Dialect.Name
}

// compare orders matches: those that recognise more than errors first, then by the share, then by how many records they
// recognise. Of two that are equal in this, the one that the other reads as well comes first.
func compare(a, b Match) int {
	if a.telling() == 0 || b.telling() == 0 {
		return cmp.Compare(b.telling(), a.telling())
	}
	if c := cmp.Compare(b.Share(), a.Share()); c != 0 {
		return c
	}
	if c := cmp.Compare(b.telling(), a.telling()); c != 0 {
		return c
	}
	return cmp.Compare(a.reads(b), b.reads(a))
}

// telling is how many records are recognised as more than errors.
func (m *Match) telling() int { return m.Recognised - m.Errors }

// reads is 1 if the dialect reads the other as well, else 0.
func (m *Match) reads(other Match) int {
	if slices.Contains(m.Dialect.AlsoReads, other.Dialect.Name) {
		return 1
	}
	return 0
}

// Bytes recognises the stream that begins with data, among the dialects given. eof says that data is all of it. A record that
// is cut is left out.
func Bytes(dialects []*hub.Dialect, data []byte, framing wire.Framing, eof bool) Report {
	records, found := Records(data, framing, eof)
	r := Report{Framing: found, Records: len(records)}
	for _, d := range dialects {
		if d.NewDecoder == nil {
			continue
		}
		if m := match(d, records); m.Recognised > 0 {
			r.Matches = append(r.Matches, m)
		}
	}
	slices.SortStableFunc(r.Matches, compare)
	return r
}

// Records cuts the first records off data, and says how they are framed.
func Records(data []byte, framing wire.Framing, eof bool) (records []wire.Record, found wire.Framing) {
	s := wire.NewSplitter(framing, 0)
	for len(records) < maxRecords {
		rec, n, err := s.Split(data, eof)
		if n == 0 {
			break
		}
		if rec.Data != nil && err == nil {
			records = append(records, wire.Record{
				Event: slices.Clone(rec.Event), ID: slices.Clone(rec.ID), Data: slices.Clone(rec.Data),
			})
		}
		data = data[n:]
	}
	if d, ok := s.(wire.Detector); ok {
		framing = d.Framing()
	}
	if framing == wire.Auto && len(records) > 0 {
		framing = wire.NDJSON // one value, and nothing behind it
	}
	return records, framing
}

// onlyFailure reports whether events say that the run has failed, and nothing else.
func onlyFailure(events []hub.Event) bool {
	failed := false
	for i := range events {
		switch ev := &events[i]; {
		case ev.Kind == hub.RunEnd && ev.Status == hub.StatusFailed, ev.Kind == hub.Notice && ev.Level == hub.LevelError:
			failed = true
		case ev.Kind != hub.RunStart:
			return false
		}
	}
	return failed
}

// match counts what a dialect recognises.
func match(d *hub.Dialect, records []wire.Record) Match {
	m := Match{Dialect: d}
	dec := policy.NewDecoder(d, d.Defaults())
	var events []hub.Event
	for _, rec := range records {
		var err error
		events, err = dec.Decode(events[:0], rec)
		switch Judge(dec, rec, events, err) {
		case Recognised:
			m.Recognised++
			if onlyFailure(events) {
				m.Errors++
			}
		case Unrecognised:
			m.Unrecognised++
		}
	}
	if m.Recognised > 0 {
		m.Version = d.VersionOf(records)
	}
	return m
}
