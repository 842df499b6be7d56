package threadstore

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// record is what is known of a conversation, or of one up to an answer.
type record struct {
	Format  int
	Version string // the turn that wrote it
	Running bool   `json:",omitempty"` // an answer that has not ended, as long as there is a lease on it
	Pieces  []piece
	Size    int // about how many bytes the messages hold
	Begun   time.Time

	// Of an answer.
	Asked   *hub.Detached `json:",omitempty"`
	Tools   []hub.Tool    `json:",omitempty"`
	Run     hub.Run       `json:",omitzero"` // without its messages
	Said    int           `json:",omitempty"`
	Session string        `json:",omitempty"`
}

// format is that of records. A replica with another one does not read them.
const format = 1

// errFormat says that what is stored was written by another version of Sabir.
var errFormat = errors.New("the conversation was stored by another version of Sabir, in a form that this one does not know")

// Members of the hash of a conversation; v is the version of the record. The notes of clients change while a turn runs.
const (
	fieldRecord = "r"
	fieldMeta   = "m"
)

// readScript reads a record with what stands beside it, and renews it, and that another turn has gone on from the answer: that is known as
// long. It is a script, as an answer that ends between two commands looks like one without a replica, and as the client of Redis does not ask
// again where the answer to a transaction is lost.
var readScript = redis.NewScript(`redis.call('PEXPIRE', KEYS[1], ARGV[1])
local v = redis.call('GET', KEYS[3])
if v and string.sub(v, 1, ` + lenGone + `) == '` + gone + `' then redis.call('PEXPIRE', KEYS[3], ARGV[1]) end
return {redis.call('HGET', KEYS[1], '` + fieldRecord + `'), redis.call('HGET', KEYS[1], '` + fieldMeta + `'), redis.call('GET', KEYS[2]), v}`)

// found is a record with what stands beside it.
type found struct {
	record
	meta []byte
	held bool // a turn runs, or the answer has not ended
	next bool // another turn goes on from the answer, or has
}

// read reads what is known under a name, and renews it. It returns [threads.ErrUnknown] if nothing is.
func (s *Store) read(ctx context.Context, name string) (f found, err error) {
	keys := []string{s.key(keyThread, name), s.key(keyHold, name), s.key(keyNext, name)}
	all, err := readScript.Run(ctx, s.cfg.Client, keys, s.limits.Load().Keep.Milliseconds()).Slice()
	if err != nil {
		return f, s.fail(err)
	}
	text, known := all[0].(string)
	if !known {
		return f, threads.ErrUnknown
	}
	if err = json.Unmarshal([]byte(text), &f.record); err != nil || f.Format != format {
		s.cfg.OnError(errors.Join(errFormat, err))
		return f, threads.ErrUnknown
	}
	if meta, is := all[1].(string); is {
		f.meta = []byte(meta)
	}
	_, f.next = all[3].(string)
	holder, is := all[2].(string)
	if f.held = is && !strings.HasPrefix(holder, over); f.Running && !f.held {
		return f, threads.ErrUnknown // its replica is gone
	}
	return f, nil
}

// asked is the request that an answer belongs to.
func (r *record) asked() hub.Request {
	if r.Asked == nil {
		return hub.Request{}
	}
	asked := r.Asked.Attach()
	asked.Tools.Defs = r.Tools
	return *asked
}

// writeScript writes the record of a conversation when its turn ends, and gives the lease back. It does not if the conversation was
// deleted in the meantime (-1), or if another replica took the turn for dead and another turn has written since (0). A record that it has
// written already is written again.
var writeScript = redis.NewScript(`local held, version, over = redis.call('GET', KEYS[2]), redis.call('HGET', KEYS[1], 'v'), '` + over + `'..ARGV[1]
if held == ARGV[1] then redis.call('DEL', KEYS[2]) end
if held == '` + forgotten + `' then redis.call('SET', KEYS[2], over, 'PX', ARGV[5]) end
if held == '` + forgotten + `' or held == over then return -1 end
if held and held ~= ARGV[1] or version and version ~= ARGV[2] and version ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'r', ARGV[3], 'v', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`)

// errFenced says that a conversation went on without the turn.
var errFenced = errors.New("the conversation has gone on at another replica while a turn ran")

// write ends a turn: token wrote the record, which before had the version was.
func (s *Store) write(ctx context.Context, key threads.Key, token, was string, r *record) error {
	name := nameOfKey(key)
	keys := []string{s.key(keyThread, name), s.key(keyHold, name)}
	s.holds.remove(keys[1])
	r.Format, r.Version = format, token
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	written, err := writeScript.Run(ctx, s.cfg.Client, keys, token, was, data, s.limits.Load().Keep.Milliseconds(), s.cfg.Lease.Milliseconds()).Int()
	switch {
	case err != nil:
		return err
	case written == 0:
		return errFenced
	case written < 0:
		return nil // the client wants it to be gone
	}
	return s.touch(ctx, key)
}
