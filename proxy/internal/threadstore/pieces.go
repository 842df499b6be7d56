package threadstore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// piece is a part of a conversation: the first N messages that are stored under its id. Conversations share pieces, which are never
// changed. Each use of a conversation renews its pieces, so that they live as long as the last one that has them.
type piece struct {
	ID string
	N  int
}

// mostPieces is how many a conversation has before they become one: each is a key to be read.
const mostPieces = 32

// errMissing says that Redis has lost a part of a conversation.
var errMissing = errors.New("a part of the conversation is missing in the store")

// messages returns those of a conversation, and renews them. One that has lost a part is deleted.
func (s *Store) messages(ctx context.Context, name string, r *record) ([]hub.Message, error) {
	all, err := s.load(ctx, r.Pieces)
	if !errors.Is(err, errMissing) {
		return all, s.fail(err)
	}
	s.cfg.OnError(err)
	if err = s.cfg.Client.Del(ctx, s.key(keyThread, name)).Err(); err != nil {
		return nil, s.fail(err)
	}
	return nil, threads.ErrUnknown
}

// load reads the messages of pieces.
func (s *Store) load(ctx context.Context, pieces []piece) (all []hub.Message, err error) {
	if len(pieces) == 0 {
		return nil, nil
	}
	keep := s.limits.Load().Keep
	values := make([]*redis.StringCmd, len(pieces))
	pipe := s.cfg.Client.Pipeline()
	for i, p := range pieces {
		pipe.PExpire(ctx, s.key(keyPiece, p.ID), keep)
		values[i] = pipe.Get(ctx, s.key(keyPiece, p.ID))
	}
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	for i, v := range values {
		var ms []hub.Message
		if err := json.Unmarshal([]byte(v.Val()), &ms); err != nil || len(ms) < pieces[i].N {
			return nil, errMissing
		}
		all = append(all, ms[:pieces[i].N]...)
	}
	return all, nil
}

// store stores a conversation whose first messages are those of pieces, so many of them. They are stored again where Redis has lost a part.
func (s *Store) store(ctx context.Context, pieces []piece, same int, all []hub.Message) ([]piece, error) {
	kept, err := s.keepPieces(ctx, cut(pieces, same))
	if err != nil {
		return nil, err
	}
	if len(kept) >= mostPieces {
		kept = nil
	}
	if len(kept) == 0 {
		same = 0
	}
	if same == len(all) {
		return kept, nil
	}
	data, err := json.Marshal(all[same:])
	if err != nil {
		return nil, err
	}
	more := piece{s.unique(), len(all) - same}
	if err = s.cfg.Client.Set(ctx, s.key(keyPiece, more.ID), data, s.limits.Load().Keep).Err(); err != nil {
		return nil, err
	}
	return append(kept, more), nil
}

// cut returns pieces that hold the first n messages.
func cut(pieces []piece, n int) (kept []piece) {
	for _, p := range pieces {
		if n <= 0 {
			break
		}
		p.N = min(p.N, n)
		n -= p.N
		kept = append(kept, p)
	}
	return kept
}

// keepPieces renews pieces. It returns none if one of them is missing.
func (s *Store) keepPieces(ctx context.Context, pieces []piece) ([]piece, error) {
	if len(pieces) == 0 {
		return nil, nil
	}
	keep := s.limits.Load().Keep
	pipe := s.cfg.Client.Pipeline()
	there := make([]*redis.BoolCmd, len(pieces))
	for i, p := range pieces {
		there[i] = pipe.PExpire(ctx, s.key(keyPiece, p.ID), keep)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	for _, is := range there {
		if !is.Val() {
			return nil, nil
		}
	}
	return pieces, nil
}
