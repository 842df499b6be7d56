package hub

import "github.com/sabir-proxy/sabir/adapters/wire"

// Writers are the methods by which an encoder of type E writes events, by their kind. Kinds without one are dropped.
type Writers[E any] [NumKinds]func(e E, out *wire.Out, ev *Event) Disposition

// Write writes ev by the method of its kind.
func (w *Writers[E]) Write(e E, out *wire.Out, ev *Event) Disposition {
	if write := w[ev.Kind]; write != nil {
		return write(e, out, ev)
	}
	return Dropped
}

// Silent adapts a method that writes nothing.
func Silent[E any](f func(E, *Event) Disposition) func(E, *wire.Out, *Event) Disposition {
	return func(e E, _ *wire.Out, ev *Event) Disposition { return f(e, ev) }
}

// Always is for kinds that have one disposition, whatever the event.
func Always[E any](d Disposition) func(E, *wire.Out, *Event) Disposition {
	return func(E, *wire.Out, *Event) Disposition { return d }
}
