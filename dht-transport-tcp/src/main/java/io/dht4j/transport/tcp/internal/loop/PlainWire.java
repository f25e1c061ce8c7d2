package io.dht4j.transport.tcp.internal.loop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Passes bytes on unchanged. */
public final class PlainWire implements Wire {

    private final SocketChannel channel;
    private boolean blocked;

    public PlainWire(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public boolean isEstablished() {
        return true;
    }

    @Override
    public int read(ByteBuffer in) throws IOException {
        return channel.read(in);
    }

    @Override
    public boolean isReadDeferred() {
        return false;
    }

    @Override
    public void write(ByteBuffer out) throws IOException {
        if (out.hasRemaining()) {
            channel.write(out);
        }
        blocked = out.hasRemaining();
    }

    @Override
    public boolean isBlocked() {
        return blocked;
    }

    @Override
    public void endOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void release() {
        blocked = false;
    }
}
