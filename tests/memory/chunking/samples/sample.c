#ifndef RING_H
#define RING_H
#include <stdint.h>
#include "ring_config.h"

#define RING_MAX 64
#define RING_NEXT(i) (((i) + 1) % RING_MAX)

/* One slot of the ring. */
struct slot {
    uint32_t key;
    void *value;
};

typedef struct {
    struct slot slots[RING_MAX];
    int head, tail;
} ring_t;

enum ring_state { RING_EMPTY, RING_FULL };

typedef int (*ring_visit)(struct slot *s, void *arg);

int ring_init(ring_t *ring);
static const char *const names[] = { "empty", "full" };

/* Puts a value in; returns 0 when there is no room. */
static inline int *ring_push(ring_t *ring, uint32_t key, void *value)
{
    if (RING_NEXT(ring->tail) == ring->head) {
        return 0;
    }
    return &ring->tail;
}

#ifdef RING_DEBUG
void ring_dump(const ring_t *ring) { (void) ring; }
#endif
#endif
