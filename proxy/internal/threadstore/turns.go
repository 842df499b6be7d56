package threadstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// turn is what a turn has of the store until it ends.
type turn struct {
	token  string
	thread string // the name of its conversation, "" for none
	answer string // that of its answer
	next   string // the key by which others learn that it goes on from an answer, if it is the first
	from   string // the name of what it goes on from
	before record // that itself
	made   string // the version of its answer
	begun  time.Time
}

// gone is what the value of [keyNext] begins with where a turn has gone on from an answer; the token of that turn follows. No token begins so.
const gone, lenGone = "gone", "4"

// Begin implements [threads.Turns].
func (s *Store) Begin(t *threads.Turn) error {
	t.Session = t.Answer.Name
	goesOn := t.Thread.Name != "" || t.From.Name != ""
	if s.limits.Load().Names == 0 {
		if goesOn {
			return threads.ErrUnknown
		}
		return nil
	}
	ctx, done := s.begin()
	defer done()
	own := &turn{token: s.unique(), begun: time.Now()}
	err := s.open(ctx, t, own)
	if err == nil {
		t.State = own
		return nil
	}
	s.undo(ctx, own)
	if goesOn || isRefusal(err) {
		return err
	}
	s.cfg.OnLost() // the turn needs nothing of the store; only its answer is not remembered
	return nil
}

func isRefusal(err error) bool {
	for _, known := range []error{threads.ErrUnknown, threads.ErrBusy, threads.ErrUnfinished, threads.ErrGoesOn, threads.ErrWentOn} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// open takes what a turn needs.
func (s *Store) open(ctx context.Context, t *threads.Turn, own *turn) (err error) {
	switch {
	case t.Thread.Name != "":
		err = s.enter(ctx, t, own)
	case t.From.Name != "":
		err = s.goOn(ctx, t, own)
	}
	if err != nil {
		return err
	}
	t.Size = own.before.Size
	if t.Before, err = s.messages(ctx, own.from, &own.before); err != nil || t.Answer.Name == "" {
		return err
	}
	own.answer = nameOfKey(t.Answer)
	if _, err = s.take(ctx, s.key(keyHold, own.answer), own.token); err != nil {
		return s.fail(err)
	}
	r := record{Running: true, Asked: t.Asked.Detached(), Tools: t.Asked.Tools.Defs}
	err = s.create(ctx, t.Answer, &r, nil)
	own.made = r.Version
	return s.fail(err)
}

// enter begins the turn of a conversation that has a name.
func (s *Store) enter(ctx context.Context, t *threads.Turn, own *turn) error {
	name := nameOfKey(t.Thread)
	own.thread = name // it is taken even where the answer of Redis comes too late
	holder, err := s.take(ctx, s.key(keyHold, name), own.token)
	switch {
	case err != nil:
		return s.fail(err)
	case holder != own.token:
		own.thread = ""
		return threads.ErrBusy
	}
	own.from, t.Session = name, ""
	f, err := s.read(ctx, name)
	if errors.Is(err, threads.ErrUnknown) && t.Create {
		if err = s.create(ctx, t.Thread, new(record), nil); err != nil {
			return s.fail(err)
		}
		f, err = s.read(ctx, name)
	}
	own.before = f.record
	return err
}

// goOn begins a turn that goes on from an answer.
func (s *Store) goOn(ctx context.Context, t *threads.Turn, own *turn) error {
	name := nameOfKey(t.From)
	f, err := s.read(ctx, name)
	switch {
	case err != nil:
		return err
	case f.held:
		return threads.ErrUnfinished
	}
	first, err := s.goFirst(ctx, t.Alone, s.key(keyNext, name), own)
	if err != nil {
		return err
	}
	if first && f.Session != "" {
		t.Session = f.Session
	}
	own.from, own.before, t.Was = name, f.record, f.asked()
	return nil
}

// goFirst reports whether no other turn goes on, or has gone on, from an answer.
func (s *Store) goFirst(ctx context.Context, alone bool, key string, own *turn) (first bool, err error) {
	own.next = key // likewise
	holder, err := s.take(ctx, key, own.token)
	if err != nil {
		return false, s.fail(err)
	}
	if holder == own.token {
		return true, nil
	}
	own.next = ""
	switch {
	case !alone:
		return false, nil
	case strings.HasPrefix(holder, gone):
		return false, threads.ErrWentOn
	}
	return false, threads.ErrGoesOn
}

// End implements [threads.Turns]. Where Redis is away, the turn is as if it had never been.
func (s *Store) End(t *threads.Turn, said *threads.Said) {
	own, _ := t.State.(*turn)
	if own == nil {
		return
	}
	ctx, done := s.begin()
	defer done()
	if said == nil || own.before.Size+said.Size > s.limits.Load().Bytes {
		if said != nil {
			s.cfg.OnLost()
		}
		s.undo(ctx, own)
		return
	}
	if err := s.keep(ctx, t, own, said); err != nil {
		_ = s.fail(err)
		s.cfg.OnLost()
	}
}

// keep remembers what was said in a turn.
func (s *Store) keep(ctx context.Context, t *threads.Turn, own *turn, said *threads.Said) error {
	pieces, err := s.store(ctx, own.before.Pieces, threads.Common(t.Before, said.Messages), said.Messages)
	if err == nil {
		err = s.wentOn(ctx, t.Alone, own)
	}
	if err != nil {
		s.undo(ctx, own)
		return err
	}
	size := own.before.Size + said.Size
	if own.answer != "" {
		r := record{
			Pieces: pieces, Size: size, Begun: own.begun, Asked: t.Asked.Detached(), Tools: t.Asked.Tools.Defs, Session: t.Session,
			Run: said.Run, Said: len(said.Messages) - said.From,
		}
		r.Run.Messages = nil
		err = errors.Join(err, s.write(ctx, t.Answer, own.token, own.made, &r))
	}
	if own.thread != "" {
		r := record{Pieces: pieces, Size: size, Begun: own.before.Begun}
		err = errors.Join(err, s.write(ctx, t.Thread, own.token, own.before.Version, &r))
	}
	return err // leases that are left expire: what was to be written may still be on its way
}

// wentOnScript makes a lease on going on from an answer last, unless another has it or had it (0).
var wentOnScript = redis.NewScript(`local v, gone = redis.call('GET', KEYS[1]), '` + gone + `'..ARGV[1]
if v and v ~= ARGV[1] and v ~= gone then return 0 end
redis.call('SET', KEYS[1], gone, 'PX', ARGV[2])
return 1`)

// wentOn notes that a turn has gone on from an answer. It fails if it had to be the only one, and another has taken its place.
func (s *Store) wentOn(ctx context.Context, alone bool, own *turn) error {
	if own.next == "" {
		return nil
	}
	s.holds.remove(own.next)
	first, err := wentOnScript.Run(ctx, s.cfg.Client, []string{own.next}, own.token, s.limits.Load().Keep.Milliseconds()).Int()
	if err == nil && first == 0 && alone {
		err = errFenced
	}
	return err
}

// abandon gives back what a turn has.
func (s *Store) abandon(ctx context.Context, own *turn) error {
	var leases []string
	for _, name := range []string{own.thread, own.answer} {
		if name != "" {
			leases = append(leases, s.key(keyHold, name))
		}
	}
	if own.next != "" {
		leases = append(leases, own.next)
	}
	err := s.release(ctx, own.token, leases...)
	if own.answer != "" {
		err = errors.Join(err, s.cfg.Client.Del(ctx, s.key(keyThread, own.answer)).Err())
	}
	return err
}

// undo gives back what a turn has, in a time of its own. Where Redis was so slow that ctx is over, the client does not wait for that as well. It
// is given back all the same, else the conversation would look as if the turn ran until the leases have expired.
func (s *Store) undo(ctx context.Context, own *turn) {
	undo := func() {
		ctx, done := s.begin()
		defer done()
		_ = s.fail(s.abandon(ctx, own))
	}
	if ctx.Err() != nil {
		s.stopped.Go(undo)
		return
	}
	undo()
}
