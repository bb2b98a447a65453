/*
 * delaylink: a long-distance link between two network namespaces, for kernels without sch_netem.
 *
 * Two TUN devices and a delay line between them: every packet is handed over DELAY ms after it
 * came. Optional: a rate, a drop-tail queue in front of it, random loss, jitter without reordering.
 *
 *   delaylink -a NS1:DEV:ADDR/PFX -b NS2:DEV:ADDR/PFX [-d ms one way] [-j jitter ms] [-r Mbit/s]
 *             [-q queue KiB] [-l loss %] [-m MTU] [-M ring MiB a direction] [-t seconds to live] [-G]
 *
 * One reader and one writer thread a direction; the ring between them is the wire. Memory is
 * bounded by two rings. A packet that does not fit is dropped, as a router would do, and counted as
 * "full". TUN is opened with TSO, so that the kernel hands over segments of up to 64 KiB: that is
 * what makes more than 100 MB/s possible on two processors. A drop then takes a whole segment; -G
 * turns that off, every packet is at most MTU long and drops are honest, at a lower top speed.
 *
 * Needs root. Ends after -t seconds, on SIGINT or SIGTERM, or with its parent; prints its counters.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <time.h>
#include <unistd.h>

#define MAXPKT (65536 + 64)
#define VH ((int)sizeof(struct virtio_net_hdr))

static double delay_ms = 100, jitter_ms, rate_mbit, loss_pct;
static long queue_bytes = 0, ring_mib = 256, ttl_s = 600;
static int mtu = 1500, gso = 1;
static atomic_int stop_now;

struct rec { uint64_t due_ns; uint32_t len; };

struct dir {
    int in, out;
    const char *name;
    uint8_t *ring;
    size_t cap;
    _Atomic size_t head, tail;               /* byte positions, monotonically growing */
    uint64_t wire_free_ns, last_due;
    uint32_t seed;
    atomic_ulong pkts, bytes, lost, tail_drop, full, wr_err, late_max_us;
    pthread_mutex_t mu;
    pthread_cond_t cv;
};

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void die(const char *what) { perror(what); exit(1); }

static double rnd(struct dir *d) {           /* xorshift32 in [0,1): repeatable runs */
    d->seed ^= d->seed << 13; d->seed ^= d->seed >> 17; d->seed ^= d->seed << 5;
    return d->seed / 4294967296.0;
}

/* ---- the wire ---------------------------------------------------------------------------------------------------------- */

static void *reader(void *arg) {
    struct dir *d = arg;
    static __thread uint8_t buf[MAXPKT];
    while (!stop_now) {
        ssize_t n = read(d->in, buf, sizeof buf);
        if (n <= 0) { if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue; break; }
        uint64_t now = now_ns();
        struct virtio_net_hdr *h = (struct virtio_net_hdr *)buf;
        long payload = n - VH;
        long segs = (h->gso_type != VIRTIO_NET_HDR_GSO_NONE && h->gso_size) ? (payload + h->gso_size - 1) / h->gso_size : 1;
        long wire = payload + (segs - 1) * 52;                   /* headers repeated for every segment on a real wire */
        if (loss_pct > 0) {                                      /* loss is per MTU-sized segment; a lost super-packet goes whole */
            int hit = 0;
            for (long i = 0; i < segs && !hit; i++) hit = rnd(d) * 100 < loss_pct;
            if (hit) { d->lost++; continue; }
        }
        uint64_t depart = now;
        if (rate_mbit > 0) {
            uint64_t start = d->wire_free_ns > now ? d->wire_free_ns : now;
            if (queue_bytes && (start - now) * rate_mbit / 8000.0 > queue_bytes) { d->tail_drop++; continue; }
            depart = start + (uint64_t)(wire * 8000.0 / rate_mbit);
            d->wire_free_ns = depart;
        }
        uint64_t due = depart + (uint64_t)((delay_ms + (jitter_ms > 0 ? rnd(d) * jitter_ms : 0)) * 1e6);
        if (due < d->last_due) due = d->last_due;                /* never reorder */
        d->last_due = due;
        size_t need = sizeof(struct rec) + (((size_t)n + 15) & ~(size_t)15);
        size_t h0 = d->head, pos = h0 % d->cap;
        size_t skip = pos + need > d->cap ? d->cap - pos : 0;    /* records never wrap */
        if (h0 + skip + need - d->tail > d->cap) { d->full++; continue; }
        if (skip) {
            if (skip >= sizeof(struct rec)) ((struct rec *)(d->ring + pos))->len = 0;
            h0 += skip; pos = 0;
        }
        struct rec *r = (struct rec *)(d->ring + pos);
        r->due_ns = due; r->len = (uint32_t)n;
        memcpy(r + 1, buf, n);
        int was_empty = d->tail == d->head;
        d->head = h0 + need;
        d->pkts += segs; d->bytes += payload;
        if (was_empty) { pthread_mutex_lock(&d->mu); pthread_cond_signal(&d->cv); pthread_mutex_unlock(&d->mu); }
    }
    return NULL;
}

static void *writer(void *arg) {
    struct dir *d = arg;
    while (!stop_now) {
        if (d->tail == d->head) {
            pthread_mutex_lock(&d->mu);
            while (d->tail == d->head && !stop_now) {
                struct timespec t; clock_gettime(CLOCK_REALTIME, &t);
                t.tv_nsec += 50000000; if (t.tv_nsec >= 1000000000) { t.tv_sec++; t.tv_nsec -= 1000000000; }
                pthread_cond_timedwait(&d->cv, &d->mu, &t);
            }
            pthread_mutex_unlock(&d->mu);
            continue;
        }
        size_t t0 = d->tail, pos = t0 % d->cap;
        struct rec *r = (struct rec *)(d->ring + pos);
        if (d->cap - pos < sizeof(struct rec) || r->len == 0) { d->tail = t0 + (d->cap - pos); continue; }
        uint64_t now = now_ns();
        if (r->due_ns > now) {
            struct timespec ts = { (time_t)(r->due_ns / 1000000000ull), (long)(r->due_ns % 1000000000ull) };
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
            now = now_ns();
        }
        if (now > r->due_ns && (now - r->due_ns) / 1000 > d->late_max_us) d->late_max_us = (now - r->due_ns) / 1000;
        if (write(d->out, r + 1, r->len) < 0) d->wr_err++;
        d->tail = t0 + sizeof(struct rec) + (((size_t)r->len + 15) & ~(size_t)15);
    }
    return NULL;
}

/* ---- set-up ------------------------------------------------------------------------------------------------------------ */

static int open_end(char *spec) {            /* NS:DEV:ADDR/PFX, NS "" or "-" = this namespace */
    char *ns = strsep(&spec, ":"), *dev = strsep(&spec, ":"), *cidr = spec;
    if (!dev || !cidr) { fprintf(stderr, "want NS:DEV:ADDR/PFX\n"); exit(2); }
    int self = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (*ns && strcmp(ns, "-")) {
        char p[256]; snprintf(p, sizeof p, "/run/netns/%s", ns);
        int f = open(p, O_RDONLY | O_CLOEXEC);
        if (f < 0 || setns(f, CLONE_NEWNET)) die(p);
        close(f);
    }
    int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    if (fd < 0) die("/dev/net/tun");
    struct ifreq r; memset(&r, 0, sizeof r);
    snprintf(r.ifr_name, IFNAMSIZ, "%s", dev);
    r.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    if (ioctl(fd, TUNSETIFF, &r)) die("TUNSETIFF");
    if (gso && ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6)) die("TUNSETOFFLOAD");
    char *slash = strchr(cidr, '/'); int pfx = slash ? atoi(slash + 1) : 24; if (slash) *slash = 0;
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in *sa = (struct sockaddr_in *)&r.ifr_addr;
    r.ifr_mtu = mtu; if (ioctl(s, SIOCSIFMTU, &r)) die("mtu");
    r.ifr_qlen = 10000; if (ioctl(s, SIOCSIFTXQLEN, &r)) die("txqlen");
    memset(sa, 0, sizeof *sa); sa->sin_family = AF_INET;
    if (inet_pton(AF_INET, cidr, &sa->sin_addr) != 1) { fprintf(stderr, "bad address %s\n", cidr); exit(2); }
    if (ioctl(s, SIOCSIFADDR, &r)) die("addr");
    sa->sin_addr.s_addr = htonl(pfx ? ~0u << (32 - pfx) : 0); if (ioctl(s, SIOCSIFNETMASK, &r)) die("mask");
    r.ifr_flags = IFF_UP | IFF_RUNNING; if (ioctl(s, SIOCSIFFLAGS, &r)) die("up");
    close(s);
    if (setns(self, CLONE_NEWNET)) die("setns back");
    close(self);
    return fd;
}

int main(int argc, char **argv) {
    char *a = NULL, *b = NULL; int o;
    while ((o = getopt(argc, argv, "a:b:d:j:r:q:l:m:M:t:G")) != -1) switch (o) {
        case 'a': a = optarg; break;            case 'b': b = optarg; break;
        case 'd': delay_ms = atof(optarg); break; case 'j': jitter_ms = atof(optarg); break;
        case 'r': rate_mbit = atof(optarg); break; case 'q': queue_bytes = atol(optarg) * 1024; break;
        case 'l': loss_pct = atof(optarg); break; case 'm': mtu = atoi(optarg); break;
        case 'M': ring_mib = atol(optarg); break; case 't': ttl_s = atol(optarg); break;
        case 'G': gso = 0; break;
        default: fprintf(stderr, "see the head of delaylink.c\n"); return 2;
    }
    if (!a || !b) { fprintf(stderr, "need -a and -b; see the head of delaylink.c\n"); return 2; }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_TIMERSLACK, 1000ul);
    sigset_t end; int sig;                   /* blocked in every thread, awaited by this one */
    sigemptyset(&end); sigaddset(&end, SIGINT); sigaddset(&end, SIGTERM); sigaddset(&end, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    alarm((unsigned)ttl_s);
    static struct dir d[2];
    int fa = open_end(a), fb = open_end(b);
    for (int i = 0; i < 2; i++) {
        d[i].in = i ? fb : fa; d[i].out = i ? fa : fb; d[i].name = i ? "b->a" : "a->b"; d[i].seed = 0x9e3779b9u + i;
        d[i].cap = (size_t)ring_mib << 20;
        d[i].ring = mmap(NULL, d[i].cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (d[i].ring == MAP_FAILED) die("mmap");
        pthread_mutex_init(&d[i].mu, NULL); pthread_cond_init(&d[i].cv, NULL);
        pthread_t t;
        pthread_create(&t, NULL, reader, &d[i]); pthread_create(&t, NULL, writer, &d[i]);
    }
    printf("delaylink up: %g ms each way, jitter %g, rate %g Mbit/s, queue %ld B, loss %g %%, mtu %d, ring 2 x %ld MiB, ttl %ld s\n",
           delay_ms, jitter_ms, rate_mbit, queue_bytes, loss_pct, mtu, ring_mib, ttl_s);
    fflush(stdout);
    sigwait(&end, &sig);
    stop_now = 1;
    for (int i = 0; i < 2; i++)
        printf("%s segs=%lu bytes=%lu lost=%lu tail_drop=%lu full=%lu write_err=%lu late_max_us=%lu\n", d[i].name, d[i].pkts,
               d[i].bytes, d[i].lost, d[i].tail_drop, d[i].full, d[i].wr_err, d[i].late_max_us);
    return 0;
}
