"""Writes a directory that looks like a large profile: one trace (60 % of the bytes), one table (15 %), 3,000 small
binary files (25 %). The same size gives the same bytes. Packs about 4 to 1, as real ones do."""
import os
import random
import struct
import sys

KERNELS = ["MatMulV2", "Add", "SoftmaxV2", "FlashAttentionScore", "RmsNorm", "Transpose", "Cast", "SwiGlu"]
HEADER = ("Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
          "Wait Time(us),Block Num,Input Shapes,aicore_time(us),"
          "aic_total_cycles\r\n")


def events(rng, count, begin):
    out = []
    for i in range(count):
        name = rng.choice(KERNELS)
        out.append('{"name":"aclnn%s_%d","ph":"X","pid":%d,"tid":%d,"ts":"%d.%03d","dur":%.3f,'
                   '"args":{"Task Type":"AI_CORE","connection_id":%d,"Stream Id":%d,"Address":"%016x"}}'
                   % (name, rng.randrange(90), 4100, rng.randrange(9), begin + i * 7, rng.randrange(1000),
                      rng.expovariate(1 / 60), rng.randrange(1 << 30), rng.randrange(60), rng.getrandbits(64)))
    return ",\n".join(out)


def rows(rng, count, begin):
    out = []
    for i in range(count):
        name = rng.choice(KERNELS)
        out.append('%d,0,4294967295,%d,%d,aclnn%s_%d,%s,dynamic,AI_CORE,"%d.%03d\t",%.3f,%.3f,%d,"""%d,4096;4096,512""",%.3f,%d\r\n'
                   % (rng.randrange(5), rng.randrange(60000), rng.randrange(60), name, i % 90, name, begin + i * 7,
                      rng.randrange(1000), rng.expovariate(1 / 60), rng.random() * 9, rng.choice([20, 24, 40]),
                      rng.choice([1, 128, 4096]), rng.random() * 90, rng.randrange(1 << 28)))
    return "".join(out)


def fill(path, head, parts, joint, tail, size):
    """Parts repeat at distances far beyond any packer's window."""
    with open(path, "wb") as file:
        file.write(head)
        written = 0
        index = 0
        while written < size:
            part = parts[index % len(parts)] if index == 0 else joint + parts[index % len(parts)]
            file.write(part)
            written += len(part)
            index += 1
        file.write(tail)


def make(directory, total):
    rng = random.Random(7)
    root = os.path.join(directory, "bench_4100_20261201000000000_ascend_pt")
    output = os.path.join(root, "ASCEND_PROFILER_OUTPUT")
    raw = os.path.join(root, "PROF_000001_20261201000000000_BENCH", "device_0", "data")
    os.makedirs(output)
    os.makedirs(raw)
    part = min(4_000_000, max(20_000, total // 40))
    begin = 1_764_500_000_000_000
    traces = [events(rng, part // 195, begin + i * 10_000_000).encode() for i in range(6)]
    fill(os.path.join(output, "trace_view.json"), b"[", traces, b",\n", b"]", total * 60 // 100)
    tables = [rows(rng, part // 155, begin + i * 10_000_000).encode() for i in range(4)]
    fill(os.path.join(output, "kernel_details.csv"), HEADER.encode(), tables, b"", b"", total * 15 // 100)
    with open(os.path.join(root, "profiler_info_0.json"), "w", encoding="ascii") as file:
        file.write('{"config":{"common_config":{},"experimental_config":{"_profiler_level":"Level1"}}}')
    size = total * 25 // 100 // 3000
    pool = bytearray()
    while len(pool) < 64 * size + 4096:
        pool += struct.pack("<QIIQQ", rng.getrandbits(64), 7, rng.randrange(64), rng.getrandbits(32),
                            begin + rng.getrandbits(20))
    for i in range(3000):
        at = rng.randrange(63 * size) // 32 * 32
        with open(os.path.join(raw, "aicore.data.0.slice_%d" % i), "wb") as file:
            file.write(pool[at:at + size])


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]))
