package runstore

import "context"

// renew keeps what belongs to runs that go on.
func (w *writer) renew() {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.store
	ctx, done := context.WithTimeout(context.Background(), s.cfg.Timeout)
	pipe := s.cfg.Client.Pipeline()
	for r := range w.live {
		pipe.Expire(ctx, r.stream, unended)
		pipe.Expire(ctx, s.key("head", r.token), unended)
		pipe.Expire(ctx, s.key("short", r.token), unended)
		for _, name := range r.names {
			for _, key := range s.nameKeys(name) {
				pipe.Expire(ctx, key, unended+r.keep)
			}
		}
	}
	go func() {
		defer done()
		_, err := pipe.Exec(ctx)
		s.report(err)
	}()
}
