package io.dht4j.transport.grpc.api.internal.remote;

import io.dht4j.KeyValue;
import io.dht4j.v1.Entry;
import io.dht4j.v1.ScanResponse;
import java.util.ArrayList;
import java.util.List;

/** Collects the entries of a scan, up to a number of them and of their bytes, even if the node sends more. */
final class RemoteScan implements GrpcCall.Collector<ScanResponse, List<KeyValue>> {

    private final List<KeyValue> entries = new ArrayList<>();
    private final int limit;
    private long bytesLeft;

    RemoteScan(int limit, long maxBytes) {
        this.limit = limit;
        this.bytesLeft = maxBytes;
    }

    @Override
    public boolean take(ScanResponse message) {
        for (Entry entry : message.getEntriesList()) {
            if (entries.size() == limit || bytesLeft <= 0) {
                return false;
            }
            KeyValue taken = RemoteAnswers.entry(entry);
            entries.add(taken);
            bytesLeft -= (long) taken.key().length() + taken.value().bytes().length;
        }
        return entries.size() < limit && bytesLeft > 0;
    }

    @Override
    public List<KeyValue> result() {
        return entries;
    }
}
