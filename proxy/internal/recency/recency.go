// Package recency keeps things in the order of their last use: all of them, and those of each scope, which is a client on a route. What was
// used longest ago is forgotten first.
package recency

import (
	"container/list"
	"iter"
)

// Order is the order of things. The zero value has none.
type Order[T any] struct {
	all    list.List
	scopes map[string]*list.List
}

// Place is where a thing stands.
type Place struct {
	scope    string
	all, own *list.Element
}

// Add takes a thing in, as the one used last.
func (o *Order[T]) Add(scope string, thing T) *Place {
	own := o.scopes[scope]
	if own == nil {
		if o.scopes == nil {
			o.scopes = map[string]*list.List{}
		}
		own = list.New()
		o.scopes[scope] = own
	}
	return &Place{scope: scope, all: o.all.PushFront(thing), own: own.PushFront(thing)}
}

// Use notes that a thing is used.
func (o *Order[T]) Use(p *Place) {
	o.all.MoveToFront(p.all)
	o.scopes[p.scope].MoveToFront(p.own)
}

// UseAfter notes that a thing is used after another of its scope: it goes first of the two.
func (o *Order[T]) UseAfter(p, other *Place) {
	o.all.MoveAfter(p.all, other.all)
	o.scopes[p.scope].MoveAfter(p.own, other.own)
}

// Remove lets a thing go.
func (o *Order[T]) Remove(p *Place) {
	o.all.Remove(p.all)
	own := o.scopes[p.scope]
	own.Remove(p.own)
	if own.Len() == 0 {
		delete(o.scopes, p.scope)
	}
}

// Len is how many things there are.
func (o *Order[T]) Len() int { return o.all.Len() }

// Oldest is the one used longest ago.
func (o *Order[T]) Oldest() (thing T, ok bool) { return back[T](&o.all) }

// OldestBeyond is that of a scope which has more than most; 0: any number.
func (o *Order[T]) OldestBeyond(scope string, most int) (thing T, ok bool) {
	own := o.scopes[scope]
	if own == nil || most == 0 || own.Len() <= most {
		return thing, false
	}
	return back[T](own)
}

func back[T any](of *list.List) (thing T, ok bool) {
	if at := of.Back(); at != nil {
		thing, ok = at.Value.(T)
	}
	return thing, ok
}

// Scopes are those that have something.
func (o *Order[T]) Scopes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for scope := range o.scopes {
			if !yield(scope) {
				return
			}
		}
	}
}

// Of are the things of a scope, the one used last first.
func (o *Order[T]) Of(scope string) iter.Seq[T] {
	return func(yield func(T) bool) {
		own := o.scopes[scope]
		if own == nil {
			return
		}
		for at := own.Front(); at != nil; at = at.Next() {
			if thing, ok := at.Value.(T); ok && !yield(thing) {
				return
			}
		}
	}
}
