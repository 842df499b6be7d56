package proxy

import (
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runstore"
)

// runInfo is what other replicas have to know of a run.
type runInfo struct {
	Asked *hub.Detached
	Grace time.Duration
	Bytes int
	Body  string        `json:",omitempty"`
	Said  []hub.Message `json:",omitempty"`
	Past  []hub.Message `json:",omitempty"` // what the states of a run that a command has begun repeat

	Records string `json:",omitempty"` // the dialect of the records in its log; none: it has events
}

// announce lets other replicas know of a run that begins here.
func (r *replicas) announce(c *call) {
	about := c.shared.About
	info := runInfo{Asked: about.asked.Detached(), Grace: about.grace, Bytes: int(c.route.cfg.Resume.Bytes), Body: about.body, Said: about.said, Records: about.records}
	if c.sub.op == hub.OpCommand {
		info.Past = about.asked.Said
	}
	data, err := json.Marshal(info)
	if err != nil {
		r.log.Error("a run cannot be shared with other replicas", zap.Error(err))
		return
	}
	var names []string
	for _, key := range c.names(about.token) {
		if key.Name != "" && key.Kind != byToken {
			names = append(names, nameOf(key))
		}
	}
	fenced := func() { about.canceler.cancel(hub.Fail(hub.CodeReset, errFenced)) }
	resume := &c.route.cfg.Resume
	head := runstore.Head{Format: runstore.FormatEvents, Scope: []byte(c.scope), About: data, Keep: resume.TTL}
	if about.records != "" {
		head.Format = runstore.FormatRecords
	}
	if about.remote, err = r.store.Create(about.token, head, int(resume.Bytes), names, fenced); err != nil {
		r.log.Error("a run cannot be shared with other replicas", zap.Error(err))
		return
	}
	c.shared.OnShort = about.remote.Shorten
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owned[about.token] = c.shared
}
