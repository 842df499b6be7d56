package proxy

import (
	"errors"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/threadids"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// Where both sides speak the same dialect, a run that outlives its client is kept as the records that its agent has sent: clients of that dialect
// get copies, with nothing lost that Sabir does not know. Clients of other dialects get them translated, as they would be for a client that had
// begun the run. No snapshots are made of such a log, as that needs events.
//
// The request of such a run passes as it came, and so do all others for the agent: only those that name a run of Sabir's are answered here.

// asksForStream reports whether a request that passes as it came begins a run, whose answer is a stream.
func (c *call) asksForStream() bool {
	asked, alone := c.asked, c.lines == nil && !c.multiplexed
	if !c.route.requestsPass(c.target) || !alone || asked.Whole || asked.Other || asked.AskWhole {
		return false
	}
	d, rest := c.target.dialect, c.sub.rest
	if rest == "" || len(d.Endpoints) == 0 {
		return c.says // some protocols have one path for all that they ask
	}
	e, _ := d.FindEndpoint(string(c.request.Header.Method()), rest)
	return e != nil && e.Operation == hub.OpRun
}

// passesOn reports whether requests pass as they came: what they say of places in a run may be meant for the agent.
func (r *route) passesOn(t *target) bool {
	return t != nil && r.source == t.dialect && !r.translates(t)
}

// joinBelow is a request for what its path names, where that is a way to come to a run of a thread, and the path is one of the agent's too.
func (r *route) joinBelow(t *target, method string, sub subpath) subpath {
	if !r.requestsPass(t) || sub.found || sub.rest == "" {
		return sub
	}
	if e, params := t.dialect.FindEndpoint(method, sub.rest); e != nil && e.Operation == hub.OpJoin {
		return subpath{op: e.Operation, params: unescaped(params), found: true}
	}
	return sub
}

// recordsCopier returns an engine that copies the answer to the log.
func (r *route) recordsCopier(t *target) *engine.Copier {
	k := engine.CopyToLog(r.pipelineConfig(t))
	r.measure(k)
	return k
}

// viewerEngine is an engine that reads a log for a client.
type viewerEngine struct {
	engine.Engine
	out   *wire.Out
	stats *engine.Stats
	again bool // its target can use it for another client
}

// viewerEngine returns the engine for a client.
func (r *route) viewerEngine(v *viewer, t *target, f wire.Framing) viewerEngine {
	records := v.run.About.records != ""
	if records && r.source == t.dialect && engine.Alike(t.dialect, r.options, t.options, v.asked) {
		k := engine.CopyFromLog(r.pipelineConfig(t), wire.NewOut(f))
		k.Asked = v.asked
		return viewerEngine{k, k.Out, k.Stats, false}
	}
	var p *engine.Pipeline
	if records {
		p = r.recordsEngine(v, t, f)
	} else {
		p = r.eventsEngine(t, f)
	}
	engine.Answer(p.Enc, v.asked)
	p.Seq.Answer(v.asked)
	return viewerEngine{p, p.Out, p.Stats, !records}
}

// recordsEngine returns an engine that translates a log of records for a client, as the answer is translated for one that begins a run.
func (r *route) recordsEngine(v *viewer, t *target, f wire.Framing) *engine.Pipeline {
	c := r.pipelineConfig(t)
	c.Framing, c.MaxRecord = engine.LogFraming, int(r.cfg.Resume.Bytes)
	p := engine.NewPipeline(c)
	p.Out.SetFraming(f)
	var ids threadids.Mapper
	if r.mapsIDs(t.dialect) {
		ids.Start(r.source, v.asked, v.asked.Unique)
	}
	p.Edit = func(ev *hub.Event) {
		ids.Map(ev)
		identify(ev, v.asked)
	}
	return p
}

// readable says why a client cannot read the log of a run, which another configuration of the route has begun.
func (v *viewer) readable() error {
	if kept := v.run.About.records; kept != "" && kept != v.call.route.source.Name {
		return errOtherRecords
	}
	return nil
}

var errOtherRecords = errors.New("the run is kept in a dialect that the agent of the route does not speak any more")
