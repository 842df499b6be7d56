package proxy

import (
	"container/list"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// maxAccounts is how many accounts of clients are kept. What was used longest ago is forgotten first.
const maxAccounts = 50_000

// maxDebt is the most that an account of tokens can be overdrawn, in what it gets in a minute.
const maxDebt = 60

// quotas are the accounts. They outlive reloads.
type quotas struct {
	mu        sync.Mutex
	places    map[accountKey]*account // of routes, and of all
	clients   map[accountKey]*list.Element
	recent    list.List // of *account of clients, the one used last in front
	forgotten float64   // accounts of clients that had not recovered
}

// account is what was used of a quota.
type account struct {
	key    accountKey
	quota  config.Quota
	rate   *rate.Limiter // nil: any number of requests
	tokens *rate.Limiter // nil: any number of tokens
	open   int           // runs
}

// of returns the account of a claim, as its quota is now.
func (q *quotas) of(c *claim, now time.Time) *account {
	a := q.find(c.accountKey)
	if a == nil {
		a = &account{key: c.accountKey}
		q.add(a, now)
	}
	a.follow(c.quota, now)
	return a
}

// find returns an account, nil if there is none.
func (q *quotas) find(key accountKey) *account {
	if key.client == "" {
		return q.places[key]
	}
	e := q.clients[key]
	if e == nil {
		return nil
	}
	q.recent.MoveToFront(e)
	return e.Value.(*account)
}

func (q *quotas) add(a *account, now time.Time) {
	if q.places == nil {
		q.places, q.clients = map[accountKey]*account{}, map[accountKey]*list.Element{}
	}
	if a.key.client == "" {
		q.places[a.key] = a
		return
	}
	q.clients[a.key] = q.recent.PushFront(a)
	q.expire(now)
}

// expireAtOnce is how many accounts are looked at when one is added.
const expireAtOnce = 4

// expire forgets accounts that were not used for long: those that have recovered, and where there are too many, also others. Runs
// that are open are not forgotten; limits.streams bounds them.
func (q *quotas) expire(now time.Time) {
	e := q.recent.Back()
	for range expireAtOnce {
		if front := q.recent.Front(); e == front || e == front.Next() {
			return // those are of the request that is being counted
		}
		a, before := e.Value.(*account), e.Prev()
		rested := a.rested(now)
		if rested || a.open == 0 && len(q.clients) > maxAccounts {
			q.recent.Remove(e)
			delete(q.clients, a.key)
			if !rested {
				q.forgotten++
			}
		}
		e = before
	}
}

// rested reports whether a new account would be the same.
func (a *account) rested(now time.Time) bool {
	full := func(l *rate.Limiter) bool { return l == nil || l.TokensAt(now) >= float64(l.Burst()) }
	return a.open == 0 && full(a.rate) && full(a.tokens)
}

// follow takes over a quota that a reload may have changed. What was used stays used.
func (a *account) follow(quota config.Quota, now time.Time) {
	if a.quota == quota {
		return
	}
	a.quota = quota
	burst := quota.Burst
	if burst == 0 {
		burst = quota.Rate.Count
	}
	if quota.Rate.Count == 0 {
		a.rate = nil
	} else {
		a.rate = adjust(a.rate, rate.Limit(quota.Rate.PerSecond()), burst, now)
	}
	if quota.TokensPerMinute == 0 {
		a.tokens = nil
	} else {
		a.tokens = adjust(a.tokens, rate.Limit(float64(quota.TokensPerMinute)/time.Minute.Seconds()), quota.TokensPerMinute, now)
	}
}

func adjust(l *rate.Limiter, limit rate.Limit, burst int, now time.Time) *rate.Limiter {
	if l == nil {
		return rate.NewLimiter(limit, burst)
	}
	l.SetLimitAt(now, limit)
	l.SetBurstAt(now, burst)
	return l
}

// request takes a request from all of its accounts, or from none.
func (q *quotas) request(all claims, now time.Time) *limitError {
	q.mu.Lock()
	defer q.mu.Unlock()
	accounts := q.all(all, now)
	for _, a := range accounts[:len(all)] {
		if l := a.rate; l != nil && l.TokensAt(now) < 1 {
			return &limitError{hub.CodeRate, a.key.scope(), wait(l, 1, now)}
		}
	}
	for _, a := range accounts[:len(all)] {
		if a.rate != nil {
			a.rate.AllowN(now, 1)
		}
	}
	return nil
}

// all are the accounts of claims, of which two at most are a client's.
func (q *quotas) all(all claims, now time.Time) (list [maxClaims]*account) {
	for i := range all {
		list[i] = q.of(&all[i], now)
	}
	return list
}

// mayRun says what keeps a further run from its accounts; nil for nothing.
func (q *quotas) mayRun(all claims, now time.Time) *limitError {
	q.mu.Lock()
	defer q.mu.Unlock()
	accounts := q.all(all, now)
	return indebted(accounts[:len(all)], now)
}

func indebted(accounts []*account, now time.Time) *limitError {
	for _, a := range accounts {
		if l := a.tokens; l != nil && l.TokensAt(now) < 0 {
			return &limitError{hub.CodeTokens, a.key.scope(), wait(l, 0, now)}
		}
	}
	return nil
}

// begin counts a run that begins in all of its accounts, or in none.
func (q *quotas) begin(all claims, now time.Time) *limitError {
	q.mu.Lock()
	defer q.mu.Unlock()
	accounts := q.all(all, now)
	if f := indebted(accounts[:len(all)], now); f != nil {
		return f
	}
	for _, a := range accounts[:len(all)] {
		if a.quota.Streams > 0 && a.open >= a.quota.Streams {
			return &limitError{code: hub.CodeLimit, scope: a.key.scope()}
		}
	}
	for _, a := range accounts[:len(all)] {
		a.open++
	}
	return nil
}

// end counts a run that has ended.
func (q *quotas) end(all claims) {
	if len(all) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range all {
		if a := q.find(all[i].accountKey); a != nil { // it is, as long as a run is open
			a.open--
		}
	}
}

// charge takes the tokens of a run, which were used already: the account may be overdrawn by that.
func (q *quotas) charge(all claims, n int64, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range all {
		if a := q.find(all[i].accountKey); a != nil && a.tokens != nil {
			overdraw(a.tokens, n, now)
		}
	}
}

// overdraw takes any number of tokens. The library takes at most as many at a time as may come at once.
func overdraw(l *rate.Limiter, n int64, now time.Time) {
	burst := int64(l.Burst())
	n = min(n, int64(l.TokensAt(now))+maxDebt*burst)
	for ; n > 0; n -= burst {
		l.ReserveN(now, int(min(n, burst)))
	}
}

// wait is in how many seconds so many tokens are there.
func wait(l *rate.Limiter, tokens float64, now time.Time) int {
	missing := tokens - l.TokensAt(now)
	return max(int(math.Ceil(missing/float64(l.Limit()))), 1)
}

// limitError is a limit that was met.
type limitError struct {
	code  hub.Code
	scope string
	wait  int // seconds; 0: not known
}
