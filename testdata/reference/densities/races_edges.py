import random, csv, sys
from mpmath import mp, mpf, ncdf, npdf, exp, log, sqrt, nstr, erfc
mp.dps=150
def Phi(x): return erfc(-x/sqrt(mpf(2)))/2
def phi(x): return exp(-x*x/2)/sqrt(2*mp.pi)
def between(g,h): # digits of the far tail are kept
    return Phi(-g)-Phi(-h) if g>0 else Phi(h)-Phi(g)
def lba(c,rt,v0,v1,A,B,t):
    tau=rt-t
    def f(v):
        g=B/tau-v; h=(A+B)/tau-v
        return (v*between(g,h)+phi(g)-phi(h))/A
    def S(v):  # Brown & Heathcote's F with b=A+B, less the negative rates
        b=A+B; n=b-A-tau*v; d=b-tau*v
        F=1+n/A*Phi(n/tau)-d/A*Phi(d/tau)+tau/A*(phi(n/tau)-phi(d/tau))
        return Phi(v)-F
    vs=[v0,v1]
    return log(f(vs[c]))+log(S(vs[1-c]))-log(Phi(v0))-log(Phi(v1))
def rdm(c,rt,v0,v1,A,B,t):
    tau=rt-t; r=sqrt(tau)
    def f(v):
        g=(B-v*tau)/r; h=(A+B-v*tau)/r
        return (v*between(g,h)+(phi(g)-phi(h))/r)/A
    def S(v):
        def anti(b): # of F - G in b
            z=(b-v*tau)/r
            return r*(z*Phi(z)+phi(z)) - (exp(2*v*b)*Phi(-(b+v*tau)/r)+Phi(z))/(2*v)
        return (anti(A+B)-anti(B))/A
    vs=[v0,v1]
    return log(f(vs[c]))+log(S(vs[1-c]))
tiny=mpf(10)**-45
def row(model,fn,c,rt,th):
    th=[mpf(float(x)) for x in th]; rt=mpf(float(rt))
    th=[tiny if x==0 and i<3 else x for i,x in enumerate(th)]
    val=fn(c,rt,*th)
    g=[]
    h=mpf(10)**-55
    for j in range(5):
        a=list(th);b=list(th);a[j]+=h;b[j]-=h
        g.append((fn(c,rt,*a)-fn(c,rt,*b))/(2*h))
    return val,g
def main():
    R=random.Random(30)
    out=csv.writer(sys.stdout,lineterminator="\n")
    out.writerow("model,rt,choice,v0,v1,A,B,t,logp,d_v0,d_v1,d_A,d_B,d_t".split(","))
    As=[0,1e-12,1e-9,1e-6,1e-5,1e-4,3e-4,1e-3,2e-3,3e-3,5e-3,1e-2,2e-2,3e-2,.1,.3,1]
    Vs=[0,1e-12,1e-8,1e-5,1e-4,3e-4,1e-3,3e-3,1e-2,.1,1,4]
    for model,fn in (("lba2",lba),("rdm2",rdm)):
        for A in As:
            for k in range(8):
                v=[R.choice(Vs),R.choice(Vs)]
                if k==0: v=[0,2.5]
                if k==1: v=[1.5,0]
                if k==2: v=[1.7,0.9]
                B=[.1,.25,.6,1.2,2.5][R.randrange(5)]
                tau=[.02,.05,.15,.3,.5,.9,2,5,40][R.randrange(9)]
                t=round(R.uniform(0,.9),2); rt=round(t+tau,4); c=R.randrange(2)
                val,g=row(model,fn,c,rt,[v[0],v[1],A,B,t])
                out.writerow([model,rt,c,v[0],v[1],A,B,t,nstr(val,17)]+[nstr(x,17) for x in g])
if __name__=="__main__": main()
