package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
)

// A client that repeats a request with the same Idempotency-Key gets the run that the first one began, and never a second one. The key is a
// name of the run, as its thread is; until the run has its names, the request that begins it holds a claim.

// idempotencyHeader is by which clients name a request that they may repeat.
const idempotencyHeader = "Idempotency-Key"

const (
	longestRepeatKey = 255                   // bytes; of a longer one nothing is known
	claimTime        = 10 * time.Second      // how long a request may hold a claim
	claimLook        = 20 * time.Millisecond // until a request looks again that another one is ahead of
	claimWait        = 2 * time.Second       // how long it looks, however slow the store is
)

// repeatClaims are the requests with keys whose runs have no names yet.
type repeatClaims struct {
	mu    sync.Mutex
	byKey map[eventlog.Key]*repeatClaim
}

// repeatClaim is the right to begin the run of a key.
type repeatClaim struct {
	claims *repeatClaims
	key    eventlog.Key
	taken  time.Time
	token  string // of the run, if it begins
	body   string // the hash of the request's
	shared func() // gives the claim among replicas back; nil: there are none
}

// take returns a claim on a key, nil while another request has one.
func (l *repeatClaims) take(key eventlog.Key, body string) *repeatClaim {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held := l.byKey[key]; held != nil && time.Since(held.taken) < claimTime {
		return nil
	}
	if l.byKey == nil {
		l.byKey = map[eventlog.Key]*repeatClaim{}
	}
	c := &repeatClaim{claims: l, key: key, taken: time.Now(), token: newToken(), body: body}
	l.byKey[key] = c
	return c
}

// release gives a claim back: the run has its names, or does not begin.
func (c *repeatClaim) release(begun bool) {
	if c == nil {
		return
	}
	c.claims.mu.Lock()
	if c.claims.byKey[c.key] == c {
		delete(c.claims.byKey, c.key)
	}
	c.claims.mu.Unlock()
	if !begun && c.shared != nil {
		c.shared()
	}
}

// repeatKey is the name by which a request can be repeated; that of a request that cannot is empty.
func (r *route) repeatKey(ctx *fasthttp.RequestCtx, sub *subpath) (key eventlog.Key) {
	if r.logs == nil || !r.cfg.Resume.Idempotency || !ctx.IsPost() || !sub.isRun() {
		return key
	}
	if name := ctx.Request.Header.Peek(idempotencyHeader); len(name) > 0 && len(name) <= longestRepeatKey {
		key = eventlog.Key{Scope: r.scopeOf(ctx), Kind: byRepeat, Name: string(name)}
	}
	return key
}

func bodyHash(ctx *fasthttp.RequestCtx) string {
	sum := sha256.Sum256(ctx.Request.Body())
	return hex.EncodeToString(sum[:16])
}

// errOtherBody says that a key stands for another request.
var errOtherBody = errors.New("the Idempotency-Key was used for another request")

// errInProgress says that the request that was first has neither begun its run nor given up.
var errInProgress = errors.New("a request with this Idempotency-Key is being looked at")

// claimRun lets a request with a key begin a run, unless it is answered by one that has begun.
func (s *Server) claimRun(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath, id, origin string) (c *repeatClaim, answered bool) {
	key := r.repeatKey(ctx, &sub)
	if key.Name == "" {
		return nil, false
	}
	for begun := time.Now(); time.Since(begun) < claimWait; time.Sleep(claimLook) {
		if c = s.kept.claims.take(key, bodyHash(ctx)); c != nil {
			mine, err := s.claimShared(r, c)
			switch {
			case err != nil:
				c.release(false)
				s.reject(ctx, t, hub.Fail(hub.CodeStore, err))
				return nil, true
			case mine && s.kept.shared.Find(key) == nil:
				return c, false
			}
			c.release(false)
		}
		if s.answerJoin(ctx, r, t, sub, id, origin) {
			return nil, true
		}
	}
	f := hub.Fail(hub.CodeSessionBusy, errInProgress)
	f.RetryAfter = 1
	s.reject(ctx, t, f)
	return nil, true
}

// claimShared takes a claim among the replicas, if there are any.
func (s *Server) claimShared(r *route, c *repeatClaim) (mine bool, err error) {
	if s.replicas == nil {
		return true, nil
	}
	name := nameOf(c.key)
	if mine, err = s.replicas.store.Claim(name, c.token, claimTime); mine {
		c.shared = func() { s.replicas.store.Unclaim(name, c.token) }
	}
	return mine, err
}
