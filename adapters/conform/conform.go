// Package conform checks a stream against the rules of its dialect. The rules are [hub.Rules]; what of them a dialect has is its
// [hub.Grammar]. Nearly all are noticed by what reads streams anyway: the dialect's decoder, and the sequencer, whose repairs are
// violations of an order.
//
// conform.go reads a stream, rules.go says which rule a fault or a repair breaks, parts.go follows the parts of texts.
package conform

import (
	"errors"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A Violation is one rule that a stream has broken. It holds nothing of what the stream says.
type Violation struct {
	Rule   hub.Rule
	Record int64  // from 1; one more than there were for the end of the stream
	Offset int64  // of the fault, in bytes of the stream; -1: not known
	Path   string // of the member; "" for the record itself
	Detail string // what was expected, or how it shows; "" for no more than the rule says
}

// Config says which streams a checker reads.
type Config struct {
	Dialect *hub.Dialect
	Options hub.Options
	Framing wire.Framing // Auto recognises it
	Max     int          // of a record, in bytes; 0 is the default
	Report  func(Violation)
}

// A Checker reads one stream. It is not safe for concurrent use.
type Checker struct {
	cfg     Config
	dec     hub.Decoder
	seq     *sequencer.Sequencer
	split   wire.Splitter
	rest    []byte // of what was fed, without its end yet
	at      int64  // where rest begins in the stream
	begins  int64  // where the record at work begins; -1: not known
	records int64
	before  sequencer.RepairCounts
	open    map[string]bool // parts of texts that have begun and not ended; nil once there were too many
	loose   []hub.Event
	strict  []hub.Event
	asked   bool  // the request is known
	marked  bool  // the end mark was there
	counted int64 // by the last record that has a number
	numbers bool
	named   bool // a record had a name
	well    bool // the run has ended so
}

// New makes a checker.
func New(cfg Config) *Checker {
	return &Checker{
		cfg: cfg, dec: policy.NewDecoder(cfg.Dialect, cfg.Options), split: wire.NewSplitter(cfg.Framing, cfg.Max),
		seq: sequencer.New(sequencer.Config{EndGrace: cfg.Dialect.EndGrace, Replace: true}), begins: -1,
		open: map[string]bool{},
	}
}

// Answer says which request the stream answers, before its first record: calls that it shows are known.
func (c *Checker) Answer(asked *hub.Request) {
	if asked != nil {
		c.asked = true
		c.seq.Answer(asked)
	}
}

// Listen says which run is to be checked of a stream that holds others, before its first record.
func (c *Checker) Listen(asked *hub.Request) {
	if l := hub.ListenerOf(c.dec); l != nil {
		l.Listen(asked)
	}
}

// Records is how many records there were.
func (c *Checker) Records() int64 { return c.records }

// Feed reads bytes of the stream. Its error is that nothing more can be read.
func (c *Checker) Feed(p []byte, eof bool) error {
	buf := p
	if len(c.rest) > 0 {
		c.rest = append(c.rest, p...)
		buf = c.rest
	}
	used := 0
	for {
		rec, n, err := c.split.Split(buf[used:], eof)
		c.begins = c.at + int64(used)
		if err != nil && c.framing(err) {
			return err
		}
		if n == 0 {
			break
		}
		if rec.Data != nil {
			c.record(rec)
		}
		used += n
	}
	c.at, c.rest, c.begins = c.at+int64(used), append(c.rest[:0], buf[used:]...), -1
	return nil
}

// framing reports an error of the splitter, and whether the stream is over by it.
func (c *Checker) framing(err error) (fatal bool) {
	e, fatal := hub.FramingError(err)
	c.records++
	c.Fault(e)
	return fatal
}

// Record reads a record that was split off elsewhere.
func (c *Checker) Record(rec wire.Record) {
	c.begins = -1
	c.record(rec)
}

func (c *Checker) record(rec wire.Record) {
	c.records++
	c.form(rec)
	var err error
	c.loose, err = c.dec.Decode(c.loose[:0], rec)
	if err != nil {
		c.fault(err)
	} else if recognize.Judge(c.dec, rec, c.loose, nil) == recognize.Unrecognised && !c.carried() {
		c.report(hub.RuleKnown, "", "")
	}
	if c.cfg.Dialect.Grammar.Parts {
		c.parts()
	}
	c.strict = c.seq.Push(c.strict[:0], c.loose, 0)
	c.order()
}

// carried reports whether the record at work is one that carries records of something else, which is what the dialect has it for.
func (c *Checker) carried() bool {
	return len(c.loose) > 0 && string(c.loose[0].Name) != c.cfg.Dialect.Name
}

// fault reports what a decoder could not read.
func (c *Checker) fault(err error) {
	var e *hub.Error
	if !errors.As(err, &e) {
		e = hub.NewError(hub.ReasonSyntax, "", -1, "")
	}
	c.Fault(e)
}

// Fault reports a fault that was found elsewhere, in the record at work.
func (c *Checker) Fault(e *hub.Error) {
	v := Violation{Rule: faultRules[e.Reason], Record: c.records, Offset: c.begins, Path: e.Path, Detail: e.Msg}
	if c.begins >= 0 {
		v.Offset += max(e.Offset, 0)
	}
	c.tell(v)
}

// Framing reports a fault between records that was found elsewhere. It takes the place of a record.
func (c *Checker) Framing(e *hub.Error) {
	c.records++
	c.tell(Violation{Rule: faultRules[e.Reason], Record: c.records, Offset: e.Offset, Detail: e.Msg})
}

// report reports a rule that the record at work breaks.
func (c *Checker) report(rule hub.Rule, path, detail string) {
	c.tell(Violation{Rule: rule, Record: c.records, Offset: c.begins, Path: path, Detail: detail})
}

func (c *Checker) tell(v Violation) {
	if c.cfg.Dialect.Grammar.Has(v.Rule) {
		c.cfg.Report(v)
	}
}

// Finish reads the end of the stream. cause is what has cut it, nil for an end in good order; a run that its client or its proxy has
// given up breaks no rule by that, and needs no Finish.
func (c *Checker) Finish(cause error) {
	c.records++
	c.begins = c.at
	if c.seq.Ending() {
		c.strict = c.seq.Flush(c.strict[:0], nil)
		c.order()
	} else {
		c.loose = c.dec.Finish(c.loose[:0], cause)
		c.strict = c.seq.Push(c.strict[:0], c.loose, 0)
		c.order()
		c.strict = c.seq.Flush(c.strict[:0], cause)
		c.order()
	}
	if g := &c.cfg.Dialect.Grammar; g.EndMark != "" && !c.marked && c.well {
		c.report(hub.RuleEndMark, "", "it is missing")
	}
}
