package copilot

import (
	"bytes"
	"hash/maphash"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
)

// framed reads a WebSocket message of Caco.
func (d *decoder) framed(dst []hub.Event) ([]hub.Event, error) {
	f := &d.frame
	*f = frame{}
	if err := d.json.Decode(d.at.rec, f); err != nil {
		return dst, hub.JSONError(err)
	}
	typ := rawjson.Body(f.Type)
	switch isEvent := string(typ) == frameEvent; {
	case isEvent && d.isForeign(f.SessionID):
		return dst, nil
	case isEvent, string(typ) == frameGlobal:
		d.at.path = pathFrame
		return d.event(dst, &f.Event)
	}
	return d.control(dst, f, typ)
}

// control reads the frames around the events.
func (d *decoder) control(dst []hub.Event, f *frame, typ []byte) ([]hub.Event, error) {
	if d.isForeign(f.SessionID) || isSignOfLife(typ) {
		return dst, nil
	}
	dst = d.nameSession(dst)
	switch string(typ) {
	case frameHistoryDone:
		return d.historyDone(dst, f.Data), nil
	case frameState:
		return d.state(dst, f.Data, hub.Set), nil
	case frameStateUpdate:
		return d.state(dst, f.Data, hub.Merge), nil
	case frameError:
		return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: rawjson.Body(f.Error)}), nil
	}
	return d.raw(dst), nil // what clients send, and what is yet to come
}

// isSignOfLife reports whether a frame only shows that the other side is there. Those of the source are consumed.
func isSignOfLife(typ []byte) bool {
	switch string(typ) {
	case "ping", "pong", "serverPing":
		return true
	}
	return false
}

// state is the state that applets share.
func (d *decoder) state(dst []hub.Event, v rawjson.Value, op hub.Op) []hub.Event {
	if v == nil {
		return d.raw(dst)
	}
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(dataState), Value: v, Op: op})
}

// Names of data that come from control frames.
const (
	dataState       = "state"
	dataHistoryDone = "historyComplete"
	dataLifecycle   = "session.lifecycle"
)

// historyDone ends a stream that is a replay; elsewhere the replay was only its beginning.
func (d *decoder) historyDone(dst []hub.Event, v rawjson.Value) []hub.Event {
	if d.opt.history {
		return d.endReplay(dst)
	}
	if rawjson.Kind(v) != '{' {
		v = emptyObject
	}
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(dataHistoryDone), Value: v, Op: hub.Emit})
}

// rpc reads a JSON-RPC message of the Copilot CLI.
func (d *decoder) rpc(dst []hub.Event) ([]hub.Event, error) {
	m := &d.rpcIn
	*m = message{}
	if err := d.json.Decode(d.at.rec, m); err != nil {
		if isTypeFault(err) && string(rawjson.Body(m.Method)) != methodEvent {
			return d.raw(dst), nil // a message of another kind, whose parameters are no object
		}
		return dst, hub.JSONError(err)
	}
	switch method := rawjson.Body(m.Method); {
	case string(method) == methodEvent:
		if d.isForeign(m.Params.SessionID) {
			return dst, nil
		}
		d.at.path = pathRPC
		return d.event(dst, &m.Params.Event)
	case string(method) == methodLifecycle:
		params := rawjson.Get(d.at.rec, "params")
		return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(dataLifecycle), Value: params, Op: hub.Emit}), nil
	case method == nil && !rawjson.IsNull(m.Error):
		return d.refusal(dst, m.Error), nil
	case method == nil && rawjson.Kind(rawjson.Get(m.Result, "events")) == '[':
		return d.log(dst, rawjson.Get(m.Result, "events"))
	}
	return d.raw(dst), nil // requests, which someone must answer, and their responses
}

// refusal is the answer to a request that failed.
func (d *decoder) refusal(dst []hub.Event, fault rawjson.Value) []hub.Event {
	code := rawjson.OfKind(rawjson.Get(fault, "code"), '0')
	return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Name: code, Text: rawjson.Text(fault, "message")})
}

// log reads the events of a session's log, the answer to session.getMessages. Its first fault ends it.
func (d *decoder) log(dst []hub.Event, events rawjson.Value) ([]hub.Event, error) {
	rec := d.at.rec
	for elem := range rawjson.Each(events) {
		d.at = place{rec: rec, base: elem, flags: hub.Replayed}
		d.bare = event{}
		if err := d.json.Decode(elem, &d.bare); err != nil {
			return dst, hub.JSONError(err)
		}
		n := len(dst)
		var err error
		if dst, err = d.event(dst, &d.bare); err != nil {
			return dst, err
		}
		d.begun = d.begun || len(dst) > n
	}
	d.again = false
	return dst, nil
}

// isForeign reports whether a record belongs to another session than the run. The first session that is named is the
// run's: sockets may carry the events of others, which their clients are to ignore.
func (d *decoder) isForeign(session rawjson.Value) bool {
	id := rawjson.Body(session)
	if len(id) == 0 {
		return false
	}
	if len(d.session) == 0 {
		d.session = append(d.session, id...)
	}
	return !bytes.Equal(id, d.session)
}

// nameSession says at the very start of the run which session it belongs to, if that is known.
func (d *decoder) nameSession(dst []hub.Event) []hub.Event {
	if d.begun || len(d.session) == 0 || string(d.at.typ) == typeStart {
		return dst
	}
	d.begun = true
	return d.put(dst, hub.Event{Kind: hub.RunStart, Ref: d.session})
}

// seen remembers the ids of events, by their hashes: after a reconnect, or beside a replay, events come again. It keeps
// the last of each of many sets, and so some thousands; what it has forgotten is read again.
type seen struct {
	sets *[seenSets][seenWays]uint64
}

const (
	seenSets = 1024
	seenWays = 8
)

// seenSeed makes the hashes of ids others in each process: no agent can choose ids that have the same.
var seenSeed = maphash.MakeSeed()

// reset forgets all ids and keeps the memory.
func (s *seen) reset() {
	if s.sets != nil {
		clear(s.sets[:])
	}
}

// again reports whether id came before. Events without id always are new.
func (s *seen) again(id []byte) bool {
	if len(id) == 0 {
		return false
	}
	if s.sets == nil {
		s.sets = new([seenSets][seenWays]uint64)
	}
	h := maphash.Bytes(seenSeed, id) | 1<<63 // never 0
	set := &s.sets[h%seenSets]
	for _, have := range set {
		if have == h {
			return true
		}
	}
	copy(set[1:], set[:seenWays-1])
	set[0] = h
	return false
}

// hash is the hash of a text, the same in every process, and never 0.
func hash(p []byte) uint64 { return texthash.Of(p) | 1<<63 }
