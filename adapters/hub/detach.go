package hub

import "bytes"

// Detach replaces what points into the body by copies, and lets go of the body and the header.
func (r *Request) Detach() {
	for _, p := range []*[]byte{&r.Thread, &r.Run, &r.Answer, &r.Model, &r.Version, &r.Call, &r.Modes, &r.Unique, &r.Previous, &r.Session} {
		*p = bytes.Clone(*p)
	}
	r.History.detach()
	if r.MessageIDs != nil {
		r.MessageIDs.sort()
	}
	r.Header, r.Query, r.Body, r.Unread, r.Beside = nil, nil, nil, Losses{}, OwnLosses{}
	r.Messages, r.Answers, r.Choice, r.Settings, r.State, r.Context, r.Extra = nil, nil, ToolChoice{}, Settings{}, nil, nil, Meta{}
	r.Tools.Defs = nil
}

// A Detached request hides nothing of one that was detached: encoded, it can go to another process.
type Detached struct {
	Request
	ShowsIDs bool // MessageIDs is not nil
	IDs      []uint64
	Past     []PastCall
	Names    []string // of the tools that the client runs
}

// Detached returns the request, which must be detached, with nothing hidden.
func (r *Request) Detached() *Detached {
	d := &Detached{Request: *r, ShowsIDs: r.MessageIDs != nil}
	if d.ShowsIDs {
		d.IDs = r.MessageIDs.hashes
	}
	for c := range r.History.Calls {
		d.Past = append(d.Past, *c)
	}
	for name := range r.Tools.names {
		d.Names = append(d.Names, name)
	}
	d.Said = nil // for answers in one piece alone
	d.MessageIDs, d.History, d.Tools = nil, History{Known: r.History.Known}, ToolList{Known: r.Tools.Known}
	return d
}

// Attach returns the request that d is made of.
func (d *Detached) Attach() *Request {
	r := d.Request
	if d.ShowsIDs {
		r.MessageIDs = &IDSet{hashes: d.IDs, sorted: true}
	}
	for _, c := range d.Past {
		r.History.Add(c)
	}
	for _, name := range d.Names {
		r.Tools.Add([]byte(name))
	}
	return &r
}
