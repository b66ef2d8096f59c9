package io.brain.server.command;

import io.brain.server.BrainServer;
import io.brain.server.Storages;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.logging.Logging;
import io.brain.server.process.ServerException;
import io.brain.server.process.ServiceManager;
import io.brain.server.process.ShutdownSignal;
import io.brain.server.process.StoreWait;
import io.brain.server.warmup.BackgroundWarmUp;
import io.brain.storage.StorageException;
import java.util.List;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Entry point. Exit codes as in etcd: 0 stopped, 1 failed, 2 invalid command line. */
public final class BrainMain {
    private BrainMain() {}

    /** Runs a server until the process receives a signal. */
    public static void main(String[] args) {
        ShutdownSignal signal = ShutdownSignal.install();
        System.exit(signal.run(() -> run(List.of(args), signal)));
    }

    private static int run(List<String> args, ShutdownSignal signal) {
        try {
            return command(args, signal);
        } finally {
            Logging.stop();
        }
    }

    private static int command(List<String> args, ShutdownSignal signal) {
        OptionalInt done = Commands.run(args, signal.requested());
        if (done.isPresent()) {
            return done.getAsInt();
        }
        try {
            CommandLineReader.Request request = CommandLineReader.read(args, System.getenv());
            if (request.text() != null) {
                System.out.print(request.text());
                if (request.help()) {
                    System.out.print(Storages.help());
                }
                return 0;
            }
            return serve(request, signal);
        } catch (ConfigException wrong) {
            System.err.println(wrong.getMessage());
            if (wrong.isUsage()) {
                System.err.print(CommandLineReader.usage());
            }
            return wrong.isUsage() ? 2 : 1;
        }
    }

    private static int serve(CommandLineReader.Request request, ShutdownSignal signal) {
        BrainConfig config = request.config();
        Logging.configure(config.log());
        Logger log = LoggerFactory.getLogger(BrainMain.class);
        request.notes().forEach(log::info);
        request.warnings().forEach(log::warn);
        try (BackgroundWarmUp warmUp =
                        new BackgroundWarmUp(config.upkeep().warmUp(), BrainServer::start);
                BrainServer server = BrainServer.start(config, signal.requested())) {
            log.info("ready to serve client requests on {}", server.clientSockets());
            var unused = server.broken().thenRun(() -> signal.requested().complete(null));
            new ServiceManager(System.getenv()).ready();
            warmUp.start(server::status);
            signal.requested().join();
            warmUp.stop();
            StorageException broken = server.broken().getNow(null);
            if (broken != null) {
                log.error(
                        "unrecoverable storage error, operator action required: {}",
                        broken.getMessage(),
                        broken);
                return 1;
            }
            log.info("stopping");
        } catch (StoreWait.StopException stopped) {
            log.info("stopping before the server was ready");
        } catch (ServerException failure) {
            log.debug("server failed", failure);
            log.error(failure.getMessage());
            return 1;
        } catch (InterruptedException interrupted) {
            return 1;
        }
        log.info("stopped");
        return 0;
    }
}
