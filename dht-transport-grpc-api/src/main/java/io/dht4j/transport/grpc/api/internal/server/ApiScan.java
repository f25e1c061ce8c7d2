package io.dht4j.transport.grpc.api.internal.server;

import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.v1.ScanResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A scan that is being sent to a client. One page is held at a time; the next is read when the connection has accepted
 * the last. Each new page and each change of the connection wakes the scan; the thread that does so first does the work
 * for the others.
 */
final class ApiScan {

    /** The size of a message, unless a single entry is larger. */
    private static final int MESSAGE_BYTES = 64 << 10;

    private final ApiCall<ScanResponse> call;
    private final Scan scan;
    private final CallAdmission admission;
    private final AtomicInteger wakes = new AtomicInteger();
    private volatile boolean arrived;

    // Written before the flag above, which the thread that takes the page resets. No object holds both, since there may
    // be no memory for it.
    private List<KeyValue> arrivedEntries = List.of();
    private @Nullable Throwable arrivedError;

    // Passed from thread to thread by the counter above.
    private long entriesLeft;
    private long bytesLeft;
    private List<KeyValue> page = List.of();
    private int next;
    private long reserved;
    private boolean pulling;

    private ApiScan(ApiCall<ScanResponse> call, Scan scan, CallAdmission admission, long limit, long maxBytes) {
        this.call = call;
        this.scan = scan;
        this.admission = admission;
        this.entriesLeft = limit;
        this.bytesLeft = maxBytes;
    }

    static void start(ApiCall<ScanResponse> call, Scan scan, CallAdmission admission, long limit, long maxBytes) {
        ApiScan started = new ApiScan(call, scan, admission, limit, maxBytes);
        call.onChange(started::wake);
        started.wake();
    }

    private void wake() {
        if (wakes.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            try {
                advance();
            } catch (RuntimeException | Error e) {
                end();
                call.fail(e);
            }
            seen = wakes.addAndGet(-seen);
        } while (seen != 0);
    }

    private void advance() {
        while (true) {
            if (arrived) {
                arrived = false;
                pulling = false;
                take();
            }
            if (call.isOver()) {
                end();
                return;
            }
            if (pulling) {
                return;
            }
            if (!call.isReady()) {
                call.stream().waitsForClient();
                return;
            }
            call.stream().clientTook();
            if (next < page.size()) {
                send();
            } else {
                pull();
            }
        }
    }

    private void take() {
        List<KeyValue> entries = arrivedEntries;
        arrivedEntries = List.of();
        if (arrivedError != null) {
            call.fail(arrivedError);
        } else if (entries.isEmpty()) {
            call.complete();
        } else {
            page = entries;
            next = 0;
            reserved = scan.heldBytes();
            for (KeyValue entry : page) {
                reserved += ApiMessages.bytesOf(entry);
            }
            if (!call.stream().reserve(reserved)) {
                reserved = 0;
                call.fail(admission.outOfBytes());
            }
        }
    }

    private void send() {
        ScanResponse.Builder message = ScanResponse.newBuilder();
        long size = 0;
        while (next < page.size() && entriesLeft > 0 && bytesLeft > 0) {
            KeyValue entry = page.get(next);
            long bytes = ApiMessages.bytesOf(entry);
            if (size > 0 && size + bytes > MESSAGE_BYTES) {
                break;
            }
            message.addEntries(ApiMessages.entry(entry.key(), entry.value()));
            size += bytes;
            next++;
            entriesLeft--;
            bytesLeft -= bytes;
        }
        call.send(message.build());
        if (entriesLeft == 0 || bytesLeft <= 0) {
            call.complete();
        }
    }

    /** Reads the next page. Only now do the sent entries leave the budget, because the connection has taken them. */
    private void pull() {
        forget();
        pulling = true;
        scan.next().whenComplete((entries, error) -> {
            arrivedEntries = error == null ? entries : List.of();
            arrivedError = error;
            arrived = true;
            wake();
        });
    }

    private void forget() {
        page = List.of();
        next = 0;
        call.stream().release(reserved);
        reserved = 0;
    }

    private void end() {
        scan.close();
        forget();
    }
}
