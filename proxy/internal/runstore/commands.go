package runstore

import (
	"context"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// try sends a batch in one round trip; where there is a cluster, names of runs go before. The commands are those that a fence may stop,
// one for each entry.
func (w *writer) try(ctx context.Context, batch []entry) (fences []redis.Cmder, err error) {
	pipe := w.store.cfg.Client.Pipeline()
	for i := range batch { // before the heads: who finds one of these finds the run by any name
		w.name(ctx, pipe, &batch[i])
	}
	if w.store.spread && pipe.Len() > 0 { // its servers are asked side by side
		if _, err = pipe.Exec(ctx); err != nil {
			return slices.Repeat([]redis.Cmder{redis.NewStatusResult("", err)}, len(batch)), err
		}
	}
	clear(w.args)
	clear(w.fences)
	w.args, w.fences = w.args[:0], w.fences[:0]
	for i := range batch {
		w.fences = append(w.fences, w.write(ctx, pipe, &batch[i]))
	}
	_, err = pipe.Exec(ctx)
	return w.fences, err
}

// name makes a run that begins known by its names, unless they lead to later ones.
func (w *writer) name(ctx context.Context, pipe redis.Pipeliner, e *entry) {
	if e.head == nil {
		return
	}
	for _, name := range e.run.names {
		nameScript.Eval(ctx, pipe, w.store.nameKeys(name), e.run.token, e.run.begun, (unended + e.run.keep).Milliseconds())
	}
}

func (w *writer) write(ctx context.Context, pipe redis.Pipeliner, e *entry) (fence redis.Cmder) {
	s, r := w.store, e.run
	if e.head != nil {
		fence = pipe.Set(ctx, s.key("head", r.token), e.head, unended)
	}
	if e.short != nil {
		fence = pipe.Set(ctx, s.key("short", r.token), e.short.marshal(), unended)
	}
	if e.number > 0 {
		fence = redis.NewStringCmd(ctx, w.add(e)...)
		_ = pipe.Process(ctx, fence) // it is only put into the pipeline
	}
	keep := unended
	if e.ended {
		keep = r.keep
		pipe.Expire(ctx, s.key("head", r.token), keep)
		pipe.Expire(ctx, s.key("short", r.token), keep)
	}
	if e.number == 1 || e.ended {
		pipe.Expire(ctx, r.stream, keep)
	}
	return fence
}

// add is the command that adds the entry, put together without allocations: what is an argument points into the entry, and the list of
// arguments is a part of one that all batches use.
func (w *writer) add(e *entry) []any {
	from := len(w.args)
	w.args = append(w.args, "xadd", e.run.streamArg)
	if e.least > 0 {
		w.args = append(w.args, "minid", "~", entryID(e.least))
	}
	w.args = append(w.args, (*numberArg)(e), fieldData, (*dataArg)(e))
	if e.ended {
		w.args = append(w.args, fieldEnd, e.end)
		if len(e.why) > 0 {
			w.args = append(w.args, fieldWhy, e.why)
		}
	}
	return w.args[from:len(w.args):len(w.args)]
}

// numberArg is the id of an entry as an argument, dataArg what it holds. Both are read while the command is sent.
type (
	numberArg entry
	dataArg   entry
)

func (n *numberArg) MarshalBinary() ([]byte, error) {
	return strconv.AppendInt(append(n.id[:0], idPrefix...), n.number, 10), nil
}

func (d *dataArg) MarshalBinary() ([]byte, error) { return d.data, nil }

const idPrefix = "1-"

// entryID is the id of an entry that the owner writes.
func entryID(number int64) string { return idPrefix + strconv.FormatInt(number, 10) }
