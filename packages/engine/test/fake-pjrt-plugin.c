// A PJRT plugin for tests, with the structs written out from the C API's documentation rather than from our
// layout tables. Its device is ordinary memory of one million bytes. A program is a word and a shape, such as
// "double 2 3". It refuses structs that are too small, as real plugins do, and counts every object it hands out.
// MAJOR, MINOR: the API version it claims. EXTRA: by how many bytes the structs of a later version have grown.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT 1000000

typedef struct { size_t size; void *extensions; } Head;
typedef struct { int code; char text[256]; } Error;
typedef struct {
  pthread_mutex_t lock; pthread_cond_t changed; bool ready; int code; void *from, *to; size_t bytes;
} Event;
typedef struct { int type, rank; int64_t dims[8]; size_t bytes; void *data; bool deleted, poisoned; } Buffer;
typedef struct {
  char op[32]; int rank; int64_t dims[8]; int types[2]; int64_t all_dims[16]; size_t ranks[2];
} Program;

enum { ERRORS, EVENTS, BUFFERS, PROGRAMS, METAS, CLIENTS, DONATED, BYTES, KINDS };
static long live[KINDS];
static char version[200];
static int device = 7, description = 8;
long fake_live(int kind) { return __atomic_load_n(&live[kind], __ATOMIC_SEQ_CST); }
static void count(int kind, long n) { __atomic_add_fetch(&live[kind], n, __ATOMIC_SEQ_CST); }

static Error *fail(int code, const char *text) {
  Error *error = calloc(1, sizeof(Error));
  error->code = code;
  snprintf(error->text, sizeof(error->text), "%s", text);
  count(ERRORS, 1);
  return error;
}
#define CHECK(struct_, type) \
  if ((struct_)->head.size < sizeof(type) + EXTRA || (struct_)->head.extensions) \
    return fail(3, "bad struct: " #type)

typedef struct { Head head; Error *error; } ErrorDestroy;
static void error_destroy(ErrorDestroy *a) { free(a->error); count(ERRORS, -1); }
typedef struct { Head head; Error *error; const char *text; size_t length; } ErrorMessage;
static void error_message(ErrorMessage *a) { a->text = a->error->text; a->length = strlen(a->text); }
typedef struct { Head head; Error *error; int code; } ErrorCode;
static Error *error_code(ErrorCode *a) { CHECK(a, ErrorCode); a->code = a->error->code; return NULL; }
typedef struct { Head head; } Initialize;
static Error *initialize(Initialize *a) { CHECK(a, Initialize); return NULL; }

static Event *event(bool ready) {
  Event *e = calloc(1, sizeof(Event));
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->changed, NULL);
  e->ready = ready;
  count(EVENTS, 1);
  return e;
}
typedef struct { Head head; Event *event; bool ready; } EventArgs;
static Error *event_destroy(EventArgs *a) {
  free(a->event->from); free(a->event); count(EVENTS, -1); return NULL;
}
static Error *event_is_ready(EventArgs *a) { CHECK(a, EventArgs); a->ready = a->event->ready; return NULL; }
static Error *event_await(EventArgs *a) {
  CHECK(a, EventArgs);
  pthread_mutex_lock(&a->event->lock);
  while (!a->event->ready) pthread_cond_wait(&a->event->changed, &a->event->lock);
  pthread_mutex_unlock(&a->event->lock);
  return a->event->code ? fail(a->event->code, "the computation went wrong\n  at step 3.") : NULL;
}

typedef struct {
  Head head; const char *name; size_t name_length; int kind;
  union { int64_t i; int64_t *list; float f; bool b; };
  size_t n;
} Option;
typedef struct {
  Head head; Option *options; size_t n; void *callbacks[4]; void *client; void *try_callback[2];
} ClientCreate;
static Error *client_create(ClientCreate *a) {
  CHECK(a, ClientCreate);
  char *out = version;
  out += sprintf(out, "options:");
  for (size_t i = 0; i < a->n; i++) {
    Option *o = &a->options[i];
    if (o->head.size != sizeof(Option)) return fail(3, "option of a wrong size");
    out += sprintf(out, " %.*s=", (int)o->name_length, o->name);
    if (o->kind == 3) out += sprintf(out, "%.3f", o->f);
    if (o->kind == 4) out += sprintf(out, "%d", o->b);
    for (size_t k = 0; o->kind == 2 && k < o->n; k++) {
      if (o->list[k] == 99) return fail(9, "No visible fake devices.");
      out += sprintf(out, "%ld;", (long)o->list[k]);
    }
  }
  a->client = &live;
  count(CLIENTS, 1);
  return NULL;
}
typedef struct { Head head; void *subject; const char *text; size_t length; } TextArgs;
static Error *answer(TextArgs *a, const char *text) {
  CHECK(a, TextArgs); a->text = text; a->length = strlen(text); return NULL;
}
static Error *client_destroy(TextArgs *a) { (void)a; count(CLIENTS, -1); return NULL; }
static Error *platform_name(TextArgs *a) { return answer(a, "fake"); }
static Error *platform_version(TextArgs *a) { return answer(a, version); }
static Error *device_kind(TextArgs *a) { return answer(a, a->subject == &description ? "Fake One" : "?"); }
typedef struct { Head head; void *client; void **devices; size_t n; } Devices;
static Error *devices(Devices *a) {
  static void *list[] = {&device};
  CHECK(a, Devices); a->devices = list; a->n = 1; return NULL;
}
typedef struct { Head head; void *device; void *description; } Describe;
static Error *describe(Describe *a) { CHECK(a, Describe); a->description = &description; return NULL; }
typedef struct { Head head; void *description; int id; } DeviceId;
static Error *device_id(DeviceId *a) { CHECK(a, DeviceId); a->id = device; return NULL; }
typedef struct { int64_t value; bool set; } Figure;
typedef struct {
  Head head; void *device; int64_t in_use; Figure peak, allocs, largest, limit, others[7];
} MemoryStats;
static Error *memory_stats(MemoryStats *a) {
  CHECK(a, MemoryStats);
  if (strstr(version, "preallocate=1")) return fail(12, "no account is kept");
  a->in_use = live[BYTES];
  a->limit = (Figure){LIMIT, true};
  return NULL;
}

static Buffer *buffer(int type, int rank, const int64_t *dims) {
  Buffer *b = calloc(1, sizeof(Buffer));
  b->type = type;
  b->rank = rank;
  b->bytes = type == 11 || type == 4 ? 4 : type == 12 || type == 5 ? 8 : 1;
  for (int i = 0; i < rank; i++) b->bytes *= b->dims[i] = dims[i];
  b->data = calloc(1, b->bytes + 1);
  count(BUFFERS, 1);
  count(BYTES, b->bytes);
  return b;
}
typedef struct { Head head; Buffer *buffer; } BufferDestroy;
static Error *buffer_destroy(BufferDestroy *a) {
  CHECK(a, BufferDestroy);
  count(BYTES, -(long)a->buffer->bytes);
  count(BUFFERS, -1);
  free(a->buffer->data);
  free(a->buffer);
  return NULL;
}
typedef struct {
  Head head; void *client; const void *data; int type; const int64_t *dims; size_t rank;
  const int64_t *strides; size_t n_strides; int semantics; void *device, *memory, *device_layout;
  Event *done; Buffer *buffer;
} Upload;
static Error *upload(Upload *a) {
  CHECK(a, Upload);
  if (a->client != &live || a->device != &device || a->strides || a->semantics || a->memory || a->device_layout)
    return fail(3, "unexpected upload arguments");
  Buffer *b = buffer(a->type, a->rank, a->dims);
  if (live[BYTES] > LIMIT) {
    buffer_destroy(&(BufferDestroy){{512, NULL}, b});
    return fail(8, "Out of memory while trying to allocate.");
  }
  memcpy(b->data, a->data, b->bytes);
  a->buffer = b;
  a->done = event(true);
  return NULL;
}
typedef struct {
  Head head; const int64_t *order; size_t n; const int64_t *tiles; const size_t *tile_sizes; size_t n_tiles;
} Tiled;
typedef struct { Head head; Tiled tiled; int kind; } Layout;
typedef struct { Head head; Buffer *buffer; Layout *layout; void *to; size_t length; Event *event; } Download;
static void *copy_later(void *of) {
  Event *e = of;
  usleep(50000);
  pthread_mutex_lock(&e->lock);
  memcpy(e->to, e->from, e->bytes);
  e->ready = true;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->lock);
  return NULL;
}
static Error *download(Download *a) {
  CHECK(a, Download);
  CHECK(a->layout, Layout);
  Tiled *t = &a->layout->tiled;
  if (t->head.size != sizeof(Tiled) || a->layout->kind || t->n_tiles || t->n != (size_t)a->buffer->rank)
    return fail(3, "bad layout");
  for (int i = 0; i < a->buffer->rank; i++)
    if (t->order[i] != a->buffer->rank - 1 - i) return fail(3, "layout not row-major");
  if (a->buffer->deleted) return fail(3, "the buffer was donated");
  if (!a->to || a->length < a->buffer->bytes) return fail(3, "no room");
  Event *e = a->event = event(false);
  e->to = a->to;
  e->bytes = a->buffer->bytes;
  e->from = memcpy(malloc(e->bytes + 1), a->buffer->data, e->bytes);
  e->code = a->buffer->poisoned ? 13 : 0;
  pthread_t thread;
  pthread_create(&thread, NULL, copy_later, e);
  pthread_detach(thread);
  return NULL;
}

typedef struct { Head head; const char *code; size_t length; const char *format; size_t format_length; } Source;
typedef struct { Head head; void *client; Source *source; const uint8_t *options; size_t n; Program *program; } Compile;
static Error *compile(Compile *a) {
  CHECK(a, Compile);
  CHECK(a->source, Source);
  if (a->source->format_length != 4 || memcmp(a->source->format, "mlir", 4)) return fail(3, "not mlir");
  char text[256];
  snprintf(text, sizeof(text), "%.*s", (int)a->source->length, a->source->code);
  if (strstr(text, "nonsense")) return fail(3, "line 1: error: unknown op 'nonsense'\n    ^\nplease check.");
  Program *p = a->program = calloc(1, sizeof(Program));
  count(PROGRAMS, 1);
  int used = 0, dim;
  sscanf(text, "%31s%n", p->op, &used);
  for (char *at = text + used; sscanf(at, "%d%n", &dim, &used) == 1; at += used) p->dims[p->rank++] = dim;
  for (int i = 0; i < 2; i++) {
    p->types[i] = strcmp(p->op, "strange") ? 11 : 10;
    p->ranks[i] = p->rank;
    memcpy(p->all_dims + i * p->rank, p->dims, p->rank * sizeof(int64_t));
  }
  return NULL;
}
static size_t outputs(Program *p) { return strcmp(p->op, "swap") ? 1 : 2; }
typedef struct { Head head; Program *program; Program *meta; } Meta;
static Error *meta(Meta *a) { CHECK(a, Meta); a->meta = a->program; count(METAS, 1); return NULL; }
static Error *meta_destroy(Meta *a) { (void)a; count(METAS, -1); return NULL; }
static Error *program_destroy(Meta *a) { free(a->program); count(PROGRAMS, -1); return NULL; }
typedef struct { Head head; Program *program; int *types; size_t n; } OutputTypes;
static Error *output_types(OutputTypes *a) {
  CHECK(a, OutputTypes); a->types = a->program->types; a->n = outputs(a->program); return NULL;
}
typedef struct { Head head; Program *program; size_t n; int64_t *dims; size_t *ranks; } OutputDims;
static Error *output_dims(OutputDims *a) {
  CHECK(a, OutputDims);
  a->n = outputs(a->program); a->dims = a->program->all_dims; a->ranks = a->program->ranks;
  return NULL;
}
typedef struct {
  Head head; void *sends, *receives; size_t n_sends, n_receives; int launch; const int64_t *kept; size_t n_kept;
  void *context; const char *place; size_t n_tasks; int *tasks; int64_t *incarnations; void *slices; bool order;
  void *callbacks; size_t n_callbacks;
} Options;
typedef struct {
  Head head; Program *program; Options *options; Buffer ***inputs; size_t n_devices, n_inputs;
  Buffer ***outputs; Event **done; void *device;
} Execute;
static Error *execute(Execute *a) {
  CHECK(a, Execute);
  CHECK(a->options, Options);
  if (a->n_devices != 1 || a->done || a->device || a->options->n_sends || a->options->n_callbacks)
    return fail(3, "unexpected run arguments");
  Program *p = a->program;
  if (a->n_inputs != outputs(p)) return fail(3, "wrong number of inputs");
  if (!strcmp(p->op, "exhaust")) return fail(8, "Out of memory while trying to allocate 123 bytes.");
  for (size_t i = 0; i < a->n_inputs; i++) {
    if (a->inputs[0][i]->deleted) return fail(3, "an input was donated before");
    bool kept = false;
    for (size_t k = 0; k < a->options->n_kept; k++) kept |= a->options->kept[k] == (int64_t)i;
    if (!kept) { a->inputs[0][i]->deleted = true; count(DONATED, 1); }
  }
  for (size_t i = 0; i < a->n_inputs; i++) {
    Buffer *from = a->inputs[0][a->n_inputs - 1 - i], *to = a->outputs[0][i] = buffer(11, p->rank, p->dims);
    float *x = from->data, *y = to->data;
    for (size_t k = 0; k < to->bytes / 4; k++) y[k] = (a->n_inputs == 1 ? 2 : 1) * x[k];
    to->poisoned = !strcmp(p->op, "late");
  }
  return NULL;
}

typedef struct { Head head; Program *program; int64_t code, arguments, outputs, aliases, temporary, host[5], peak; } Planned;
static Error *planned(Planned *a) {
  CHECK(a, Planned); a->temporary = 100 * (int64_t)outputs(a->program); return NULL;
}

// Functions by their place in the table, counted from zero; what is left out here is null.
static struct {
  size_t size; void *extensions; size_t version_size; void *version_extensions; int major, minor;
  void *functions[140];
} api = {
  sizeof(api), NULL, 24, NULL, MAJOR, MINOR, {
    [0] = error_destroy, [1] = error_message, [2] = error_code, [3] = initialize,
    [5] = event_destroy, [6] = event_is_ready, [8] = event_await,
    [10] = client_create, [11] = client_destroy, [12] = platform_name, [14] = platform_version, [16] = devices,
    [20] = compile, [22] = upload, [23] = device_id, [26] = device_kind, [29] = describe, [34] = memory_stats,
    [40] = meta_destroy, [50] = program_destroy, [51] = meta, [55] = execute,
    [58] = buffer_destroy, [70] = download,
    [90] = output_types, [91] = output_dims, [96] = planned}};
__attribute__((destructor)) static void report(void) {
  if (!getenv("FAKE_REPORT")) return;
  fprintf(stderr, "left: %ld clients, %ld buffers, %ld programs\n", live[CLIENTS], live[BUFFERS], live[PROGRAMS]);
}
#ifndef NOT_A_PLUGIN
void *GetPjrtApi(void) { return &api; }
#endif
