/* Fibers: stacks, switching between them, suspension and join. Not the place for anything that says what is waited
 * for.
 *
 * A stack is one mapping: a guard that faults, then 128 KB whose upper end holds struct fiber. Ended fibers stay in a
 * pool, parked in fiber_loop, so starting one costs no system call and no makecontext. Switching goes only between the
 * loop's stack and one fiber's.
 *
 * On x86-64 and aarch64 the switch is the few instructions of fiber_switch; elsewhere, and under sanitizers and with
 * -DFIBER_UCONTEXT, it is swapcontext, which saves and restores the signal mask with two system calls each time. */
#include "config.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include "base/log.h"
#include "loop/fiber.h"
#include "loop/loop.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#endif

#if !defined(FIBER_UCONTEXT) && (defined(__SANITIZE_ADDRESS__) || !(defined(__x86_64__) || defined(__aarch64__)))
#define FIBER_UCONTEXT
#endif
#ifdef FIBER_UCONTEXT
#include <ucontext.h>
#endif

enum {
	FIBER_STACK = 128 * 1024,
	FIBER_GUARD = 64 * 1024,        /* a frame may not jump over it */
	FIBER_POOL_MAX = 256,           /* stacks kept for reuse; one that was used holds 8 to 16 KB of memory */
};

struct context {
#ifdef FIBER_UCONTEXT
	ucontext_t uc;
#else
	void *sp;
#endif
};

enum state { FRESH, RUNNING, SUSPENDED, QUEUED };

struct fiber {
	struct context context;
	char *mapping;                  /* guard included */
	void (*fn)(void *);             /* NULL: ended */
	void *arg;
	struct fiber_group *group;
	enum state state;
	bool kept;                      /* woken before it suspended, with `value` */
	int value;
	struct loop_task task;          /* runs it */
	struct loop_timer timer;        /* of fiber_suspend_for */
	struct fiber *next;             /* in the pool */
	void *asan_fake;
	unsigned valgrind_stack;
};

static struct {
	struct fiber *current;
	struct context loop;            /* the loop's own stack while a fiber runs */
	struct fiber *pool;
	unsigned pooled, alive;
	const void *asan_bottom;        /* of the loop's stack */
	size_t asan_size;
	void *asan_fake;
} fibers;

static void fiber_loop(void);

/* Switching. to_loop and to_fiber are the only places where a stack is left. */

#ifdef FIBER_UCONTEXT

static void context_make(struct fiber *f, void *stack, size_t size)
{
	if (getcontext(&f->context.uc) < 0)
		log_fatal("getcontext: %s", strerror(errno));
	f->context.uc.uc_stack.ss_sp = stack;
	f->context.uc.uc_stack.ss_size = size;
	f->context.uc.uc_link = NULL;
	makecontext(&f->context.uc, fiber_loop, 0);
}

static void context_switch(struct context *from, struct context *to)
{
	if (swapcontext(&from->uc, &to->uc) < 0)
		log_fatal("swapcontext: %s", strerror(errno));
}

#else

/* Saves what a function must preserve on the stack being left, its pointer in *from, and goes on at `to`. */
void fiber_switch(void **from, void *to) __attribute__((visibility("hidden")));

#ifdef __x86_64__
/* Words from the saved stack pointer to the top; which of them is the return address. */
enum { SWITCH_ROOM = 8, SWITCH_RETURN = 6 };
__asm__(
	".text\n"
	".globl fiber_switch\n"
	".hidden fiber_switch\n"
	".type fiber_switch, @function\n"
	".p2align 4\n"
	"fiber_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size fiber_switch, .-fiber_switch\n");
#else
enum { SWITCH_ROOM = 20, SWITCH_RETURN = 11 };
__asm__(
	".text\n"
	".globl fiber_switch\n"
	".hidden fiber_switch\n"
	".type fiber_switch, %function\n"
	".p2align 4\n"
	"fiber_switch:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size fiber_switch, .-fiber_switch\n");
#endif

static void context_make(struct fiber *f, void *stack, size_t size)
{
	void **frame = (void **)((char *)stack + size);

	/* The stack is zero: a walk up it ends above fiber_loop. x86-64 wants the pointer 8 below a multiple of 16 at
	 * a function's first instruction, hence one word more than is popped; aarch64 wants the multiple itself.
	 * Floating-point modes are not switched: nobody here changes them. */
	frame -= SWITCH_ROOM;
	frame[SWITCH_RETURN] = (void *)fiber_loop;
	f->context.sp = frame;
}

static void context_switch(struct context *from, struct context *to)
{
	fiber_switch(&from->sp, to->sp);
}

#endif

static void to_fiber(struct fiber *f)
{
	fibers.current = f;
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(&fibers.asan_fake, f->mapping + FIBER_GUARD, FIBER_STACK);
#endif
	context_switch(&fibers.loop, &f->context);
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(fibers.asan_fake, NULL, NULL);
#endif
	fibers.current = NULL;
}

static void to_loop(struct fiber *f)
{
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(&f->asan_fake, fibers.asan_bottom, fibers.asan_size);
#endif
	context_switch(&f->context, &fibers.loop);
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(f->asan_fake, &fibers.asan_bottom, &fibers.asan_size);
#endif
}

/* What runs at the bottom of every stack: one fiber's function after the other. */
static void fiber_loop(void)
{
	struct fiber *f = fibers.current;

#ifdef __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(NULL, &fibers.asan_bottom, &fibers.asan_size);
#endif
	for (;;) {
		f->fn(f->arg);
		f->fn = NULL;
		to_loop(f);
	}
}

/* Stacks */

static struct fiber *stack_new(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
	char *m = mmap(NULL, FIBER_GUARD + FIBER_STACK, PROT_NONE, flags, -1, 0);
	size_t size = FIBER_STACK - ((sizeof(struct fiber) + 63) & ~(size_t)63);
	char *stack = m + FIBER_GUARD;
	struct fiber *f;

	if (m == MAP_FAILED || mprotect(stack, FIBER_STACK, PROT_READ | PROT_WRITE) < 0)
		log_fatal("no memory for a fiber's stack: %s", strerror(errno));
	f = (struct fiber *)(stack + size);
	f->mapping = m;
#ifdef __SANITIZE_ADDRESS__
	__lsan_register_root_region(stack, FIBER_STACK);
#endif
#ifdef HAVE_VALGRIND_VALGRIND_H
	f->valgrind_stack = VALGRIND_STACK_REGISTER(stack, stack + size - 1);
#endif
	context_make(f, stack, size);
	return f;
}

static void stack_free(struct fiber *f)
{
	char *m = f->mapping;

#ifdef HAVE_VALGRIND_VALGRIND_H
	VALGRIND_STACK_DEREGISTER(f->valgrind_stack);
#endif
#ifdef __SANITIZE_ADDRESS__
	__lsan_unregister_root_region(m + FIBER_GUARD, FIBER_STACK);
	ASAN_UNPOISON_MEMORY_REGION(m + FIBER_GUARD, FIBER_STACK);
#endif
	munmap(m, FIBER_GUARD + FIBER_STACK);
}

static struct fiber *stack_take(void)
{
	struct fiber *f = fibers.pool;

	if (!f)
		return stack_new();
	fibers.pool = f->next;
	fibers.pooled--;
	return f;
}

static void stack_give(struct fiber *f)
{
	if (fibers.pooled >= FIBER_POOL_MAX) {
		stack_free(f);
		return;
	}
	f->next = fibers.pool;
	fibers.pool = f;
	fibers.pooled++;
}

/* Fibers */

static void ended(struct fiber *f)
{
	struct fiber_group *g = f->group;

	fibers.alive--;
	stack_give(f);
	if (g && --g->running == 0 && g->waiter)
		fiber_wake(g->waiter, FIBER_WOKEN);
}

static void run(struct loop_task *t)
{
	struct fiber *f = (struct fiber *)((char *)t - offsetof(struct fiber, task));

	f->state = RUNNING;
	to_fiber(f);
	if (!f->fn)
		ended(f);
}

static void out_of_time(struct loop_timer *t)
{
	fiber_wake((struct fiber *)((char *)t - offsetof(struct fiber, timer)), FIBER_TIMEOUT);
}

struct fiber *fiber_start(void (*fn)(void *), void *arg)
{
	struct fiber *f = stack_take();

	f->fn = fn;
	f->arg = arg;
	f->group = NULL;
	f->state = FRESH;
	f->kept = false;
	f->task.run = run;
	f->timer.fire = out_of_time;
	fibers.alive++;
	loop_post(&f->task);
	return f;
}

struct fiber *fiber_self(void)
{
	return fibers.current;
}

int fiber_suspend(void)
{
	struct fiber *f = fibers.current;

	if (!f)
		log_fatal("fiber: suspended on the loop's own stack");
	if (f->kept) {
		f->kept = false;
		return f->value;
	}
	f->state = SUSPENDED;
	to_loop(f);
	return f->value;
}

int fiber_suspend_for(int64_t ms)
{
	struct fiber *f = fibers.current;
	int value;

	if (f && ms >= 0 && !f->kept)
		loop_timer_set(&f->timer, ms);
	value = fiber_suspend();
	loop_timer_cancel(&f->timer);
	return value;
}

void fiber_wake(struct fiber *f, int value)
{
	if (f->state == QUEUED || f->kept)
		return;
	f->value = value;
	if (f->state != SUSPENDED) {
		f->kept = true;
		return;
	}
	f->state = QUEUED;
	loop_post(&f->task);
}

void fiber_sleep(int64_t ms)
{
	fiber_suspend_for(ms < 0 ? 0 : ms);
}

void fiber_group_start(struct fiber_group *g, void (*fn)(void *), void *arg)
{
	struct fiber *f = fiber_start(fn, arg);

	f->group = g;
	g->running++;
}

void fiber_group_wait(struct fiber_group *g)
{
	g->waiter = fibers.current;
	while (g->running)
		fiber_suspend();
	g->waiter = NULL;
}

unsigned fiber_count(void)
{
	return fibers.alive;
}

struct main_call {
	void (*fn)(void *);
	void *arg;
};

static void main_run(void *arg)
{
	struct main_call *m = arg;

	m->fn(m->arg);
	loop_stop();
}

void fiber_main(void (*fn)(void *), void *arg)
{
	struct main_call m = { fn, arg };

	fiber_start(main_run, &m);
	loop_run();
}

unsigned fiber_pooled(void)
{
	return fibers.pooled;
}

void fiber_trim(unsigned keep)
{
	while (fibers.pooled > keep)
		stack_free(stack_take());
}

void fiber_done(void)
{
	fiber_trim(0);
}
